import type { CliCommand, Context, Define } from '../../commander/command';
import { defineBulkResolve, defineBulkRetry } from './operator';
import { defineBulkResults, defineBulkStatus, defineBulkTrack } from './outcomes';
import { defineBulkPrepare } from './prepare';
import { defineBulkCollect, defineBulkEnqueue, defineBulkWork } from './queue';
import { defineBulkReconcile, defineBulkRun } from './run';

const subcommands: readonly (readonly [name: string, summary: string, define: Define])[] = [
  ['prepare', 'make a clean list of an export', defineBulkPrepare],
  ['run', 'send a list, and bring it to its end', defineBulkRun],
  ['status', 'show the number of rows in each state, or rows', defineBulkStatus],
  ['results', 'print every row with its state, its message id and the reason', defineBulkResults],
  ['reconcile', 'look for unknown rows among the messages of the service', defineBulkReconcile],
  ['resolve', 'record your findings about unknown rows', defineBulkResolve],
  ['retry', 'make rejected or left-out rows pending', defineBulkRetry],
  ['track', 'follow the sent rows until each has a final status', defineBulkTrack],
  ['enqueue', 'put what is pending in a queue for workers on many machines', defineBulkEnqueue],
  ['work', 'send what is in a queue, until Ctrl-C', defineBulkWork],
  ['collect', 'record what workers have sent', defineBulkCollect],
];

export function defineBulk(bulk: CliCommand, context: Context): void {
  bulk.helpCommand(false);
  bulk.description(
    'Sends the rows of a CSV file. Each row is written to a journal before it is sent, so that after any crash no row is sent twice and none is forgotten.',
  );
  bulk.addExamples([
    "bulk run list.csv --sender 3000 --message 'Hello {{name}}' --unixdate 0 --msgmode 1",
    'bulk status list.csv --state unknown',
  ]);
  for (const [name, summary, define] of subcommands)
    bulk.addSubcommand(name, summary, (command) => define(command, context));
}
