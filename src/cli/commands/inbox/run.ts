import type { ApiReceive } from '../../../../generated/v1/definitions/ApiReceive';
import { type InboxClient, type InboxOptions, openInbox } from '../../../inbox';
import { inboxOptions } from '../../../inbox/options';
import { type CliCommand, type Context, optionsOf } from '../../commander/command';
import { durationOption } from '../../fields/durations';
import { addFlags, readFlags } from '../../fields/flags';
import { withSpelledOptions } from '../../fields/option-names';
import { formatJson } from '../../output/json';
import { addCallOptions, type GlobalOptions } from '../../settings/global-options';
import { openSession, type Session } from '../../settings/session';
import { readSettings } from '../../settings/settings';
import { explain } from '../../terminal/explain';
import { CommandFailure, UsageError } from '../../terminal/failure';
import { Outage } from '../../terminal/outage';
import { StatusLine } from '../../terminal/status-line';
import { countsText, spellings, spellRetry } from './command';
import { runCommand } from './exec';

interface RunFlags extends GlobalOptions {
  readonly lineNumber?: readonly string[];
  readonly exec?: string;
  readonly every?: number;
}

export function defineInboxRun(command: CliCommand, context: Context): void {
  command
    .argument('<journal>')
    .description(
      'Receives messages until Ctrl-C, and runs a command in a shell for each. The command reads a JSON document from its stdin, and has handled the message when it exits with 0. The journal keeps each message until then.',
    )
    .addExamples(["inbox run inbox.journal --line-number 3000 --unread 0 --read 1 --exec 'node handle.mjs'"]);
  command
    .option('--line-number <line...>', 'receive the messages of these lines')
    .option('--exec <command>', 'run this in a shell for each message')
    .addOption(durationOption('every', 'wait this long between requests (default: 5s)'));
  addFlags(command, inboxOptions);
  addCallOptions(command);
  command.action(async (journal: string) => {
    const flags: RunFlags = optionsOf(command);
    const { exec } = flags;
    if (exec === undefined) throw new UsageError('missing: --exec');
    if (exec.trim() === '') throw new UsageError('--exec: the command is empty; a shell variable may be unset');
    const session = openSession(readSettings(flags, context), context, { verbose: flags.verbose });
    try {
      await runInbox({ ...flags, journal, exec }, session, context);
    } finally {
      session.close();
    }
  });
}

/** Runs the command of `--exec` for each message that arrives, until a signal. */
async function runInbox(
  flags: RunFlags & { readonly journal: string; readonly exec: string },
  { client, signal, options }: Session,
  context: Context,
): Promise<void> {
  const { journal, exec, lineNumber, every } = flags;
  const status = new StatusLine(context.io.stderr, context.log);
  const tell = (line: string): void => status.tell(line);
  const outage = new Outage(tell);
  const receiveStream: InboxClient['receiveStream'] = (request, callOptions) =>
    outage.watch(String(request.lineNumber), client.receiveStream(request, callOptions));
  const given = {
    client: {
      receiveStream,
      baseUrl: client.baseUrl,
      namespace: client.namespace,
      idleTimeoutMs: client.idleTimeoutMs,
    },
    ...readFlags({ ...flags }, inboxOptions),
    journal,
    everyMs: every,
    lineNumbers: lineNumber,
    onWarning: (warning: string) => tell(`warning: ${warning.replace('without read,', 'without --read,')}`),
    onFailure: (error: unknown, message?: ApiReceive) => {
      if (!message) outage.report(explain(error).message);
      else tell(`warning: message ${message.messageid}: ${(error as Error).message}; ${laterText(signal)}`);
    },
    onSetAside: ({ messageid }: ApiReceive, error: unknown) =>
      tell(
        `warning: message ${messageid}: ${(error as Error).message}; it is set aside: after a stop, \`${spellRetry(context, journal)} --id ${messageid}\` makes it wait again`,
      ),
  };
  const inbox = await withSpelledOptions(spellings, () => openInbox(given as InboxOptions));
  try {
    const lines = `line${lineNumber?.length === 1 ? '' : 's'} ${lineNumber?.join(', ')}`;
    tell(`receiving the messages of ${lines} from ${options.baseUrl}: ${countsText(inbox.counts)}`);
    status.start(() => countsText(inbox.counts));
    await withSpelledOptions(spellings, () =>
      inbox.run(
        async (message, { redelivered, lineNumber }) => {
          status.pause();
          try {
            await runCommand(exec, `${formatJson({ ...message, lineNumber, redelivered })}\n`, signal, context.io);
          } finally {
            status.resume();
          }
        },
        { signal },
      ),
    );
  } finally {
    status.end();
    context.log(countsText(inbox.counts));
    await inbox.close();
  }
  // A signal is the usual end, and no error.
  throw new CommandFailure(explain(signal.reason).exitCode);
}

function laterText({ aborted }: AbortSignal): string {
  return aborted ? 'running it again at the next start' : 'running it again later';
}
