import type { ApiReceive } from '../../../../generated/v1/definitions/ApiReceive';
import { type InboxClient, type InboxOptions, openInbox } from '../../../inbox';
import { quoteForTerminal } from '../../../internal/strings';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { durationOption } from '../../fields/durations';
import { formatJson } from '../../output/json';
import { type Session, withClient } from '../../settings/client';
import { addCallOptions, type GlobalOptions } from '../../settings/global-options';
import { explain } from '../../terminal/explain';
import { CommandFailure, UsageError } from '../../terminal/failure';
import { Outage } from '../../terminal/outage';
import { addJournalArgument, readNumber, spellInboxOptions, takeOverFlag } from './command';
import { runCommand } from './exec';
import { countsText, InboxProgress } from './progress';

interface RunFlags extends GlobalOptions {
  readonly lineNumber?: readonly string[];
  readonly unread?: string;
  readonly read?: string;
  readonly exec?: string;
  readonly every?: number;
  readonly includeRead?: true;
  readonly maxAttempts?: string;
  readonly keepDays?: string;
  readonly takeOver?: true;
}

/** Defines the command that receives messages and runs a command for each. */
export function defineInboxRun(command: CliCommand, context: Context): void {
  addJournalArgument(command)
    .description(
      'Receives messages until Ctrl-C, and runs a command in a shell for each. The command reads a JSON document from its stdin, and has handled the message when it exits with 0.',
    )
    .addExamples(["inbox run inbox.journal --line-number 3000 --unread 0 --read 1 --exec 'node handle.mjs'"]);
  command
    .option('--line-number <numbers...>', 'receive the messages of these lines')
    .option('--unread <int>', 'the isread value that lists unread messages')
    .option('--read <int>', 'the isread value that lists read messages; finds messages of lost responses')
    .option('--exec <command>', 'run this in a shell for each message')
    .addOption(durationOption('every', 'wait this long between two requests, such as 500ms, 5s or 1m (default: 5s)'))
    .option('--include-read', 'handle messages that are listed as read at the first start too')
    .option('--max-attempts <number>', 'set a message aside after this many calls of the command (default: 20)')
    .option('--keep-days <days>', 'keep the texts of handled messages this long (default: 30)');
  command.option(...takeOverFlag);
  addCallOptions(command.optionsGroup('Global options:'));
  command.action(async (journal: string) => {
    const flags: RunFlags = optionsOf(command);
    const { exec } = flags;
    if (exec === undefined) throw new UsageError('missing: --exec');
    await withClient(flags, context, (session) => runInbox({ ...flags, journal, exec }, session, context));
  });
}

/** Runs the command of `--exec` for each message that arrives, until a signal. */
async function runInbox(
  flags: RunFlags & { readonly journal: string; readonly exec: string },
  { client, signal, options }: Session,
  context: Context,
): Promise<void> {
  const { journal, exec, lineNumber, unread, read, every, includeRead, maxAttempts, keepDays, takeOver } = flags;
  let progress: InboxProgress | undefined;
  const tell = (line: string): void => (progress ? progress.tell(line) : context.log(line));
  const outage = new Outage(tell);
  const receiveStream: InboxClient['receiveStream'] = (request, callOptions) =>
    outage.watch(request.lineNumber, client.receiveStream(request, callOptions));
  const again = `${context.io.invocation} inbox retry ${quoteForTerminal(journal)}`;
  const inboxOptions = {
    client: { receiveStream },
    ...{ journal, includeRead, takeOver, everyMs: every, lineNumbers: lineNumber },
    ...{ unread: readNumber(unread), read: readNumber(read) },
    ...{ maxAttempts: readNumber(maxAttempts), keepDays: readNumber(keepDays) },
    onWarning: (warning: string) => tell(`warning: ${warning.replace('without read,', 'without --read,')}`),
    onFailure: (error: unknown, message?: ApiReceive) => {
      if (!message) outage.report(explain(error).message);
      else tell(`warning: message ${message.messageid}: ${(error as Error).message}; ${laterText(signal)}`);
    },
    onSetAside: ({ messageid }: ApiReceive) =>
      tell(
        `warning: message ${messageid} is set aside; after a stop, \`${again} --id ${messageid}\` makes it wait again`,
      ),
  };
  const inbox = await spellInboxOptions(() => openInbox(inboxOptions as InboxOptions));
  try {
    const lines = `line${inboxOptions.lineNumbers?.length === 1 ? '' : 's'} ${lineNumber?.join(', ')}`;
    tell(`receiving the messages of ${lines} from ${options.baseUrl}: ${countsText(inbox.counts)}`);
    progress = new InboxProgress(context, () => inbox.counts);
    await inbox.run(
      (message, { redelivered }) => {
        progress?.clear();
        return runCommand(exec, `${formatJson({ ...message, redelivered })}\n`, signal, context.io);
      },
      { signal },
    );
  } finally {
    progress?.end();
    await inbox.close();
  }
  // A signal is the usual end, and no error.
  throw new CommandFailure(explain(signal.reason).exitCode);
}

function laterText({ aborted }: AbortSignal): string {
  return aborted ? 'running it again at the next start' : 'running it again later';
}
