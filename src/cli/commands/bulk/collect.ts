import { collectBulk } from '../../../bulk/queue';
import type { CliCommand, Context } from '../../commander/command';
import { addFileArgument, setAction } from './bulk-command';
import { addJournalOptions, givenOf, journalOf } from './options';
import { addRedisOptions, readQueueOptions } from './queue-options';
import { formatRows, report } from './report';

/** Defines the command that asks for what workers have sent. */
export function defineBulkCollect(command: CliCommand, context: Context): void {
  addFileArgument(command)
    .description('Writes to the journal what workers have sent, and takes back what no worker has claimed.')
    .addExamples(['bulk collect list.csv --redis redis://127.0.0.1:6379']);
  addJournalOptions(addRedisOptions(command)).option(
    '--no-revoke',
    'take nothing back: leave what no worker has claimed to the workers',
  );
  setAction(command, context, async (call) => {
    const { status, collected, beingSent, waiting } = await collectBulk({
      ...readQueueOptions(call),
      journal: journalOf(call.file, call.flags),
      ...givenOf(call.flags, ['takeOver', 'revoke']),
    });
    context.log(`${formatRows(collected)} collected`);
    if (beingSent > 0) context.log(`${formatRows(beingSent)} being sent: collect again`);
    if (waiting > 0)
      context.log(`${formatRows(waiting)} not claimed by a worker yet: without --no-revoke, collect takes them back`);
    report(call, status);
  });
}
