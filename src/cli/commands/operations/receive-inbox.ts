import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ApiReceive } from '../../../../generated/v1/definitions/ApiReceive';
import { ConfigurationError } from '../../../errors';
import type { Inbox, InboxOptions } from '../../../inbox';
import type { CliCommand, Context } from '../../commander/command';
import type { FieldValues } from '../../fields/fields';
import { flagOf, spellProblems } from '../../fields/option-names';
import { formatJson } from '../../output/json';
import type { Session } from '../../settings/client';
import type { OutputOptions } from '../../settings/global-options';
import { explain } from '../../terminal/explain';
import { UsageError } from '../../terminal/failure';

/** The options of `receive` for an inbox, as the user gave them. */
export interface InboxFlags extends OutputOptions {
  readonly follow?: true;
  readonly every?: number;
  readonly journal?: string;
  readonly exec?: string;
  readonly unread?: string;
  readonly read?: string;
  readonly includeRead?: true;
  readonly keepDays?: string;
  readonly takeOver?: true;
}

export function addInboxOptions(command: CliCommand): void {
  command.optionsGroup('Following without loss:');
  command.option(
    '--journal <path>',
    'keep the messages in this file until they are handled; needs --follow and --exec',
  );
  command.option('--exec <command>', 'run this in a shell for each message, with a JSON document on stdin');
  command.option('--unread <int>', 'the isread value that lists unread messages');
  command.option('--read <int>', 'the isread value that lists read messages; finds messages of lost responses');
  command.option('--include-read', 'handle messages that are listed as read at the first start too');
  command.option('--keep-days <days>', 'keep the texts of handled messages this long (default: 30)');
  command.option('--take-over', 'open a journal that a process on another host left open, after it has ended');
}

/** Checks which options go together. @throws {UsageError} */
export function checkInboxFlags(flags: InboxFlags, hasIsread: boolean): void {
  const { journal, exec, follow, unread, output, columns, csvSafe } = flags;
  if (journal === undefined) {
    const { read, includeRead, keepDays, takeOver } = flags;
    const others = { exec, unread, read, 'include-read': includeRead, 'keep-days': keepDays, 'take-over': takeOver };
    const [first] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
    if (first !== undefined) throw new UsageError(`--${first}: it needs --journal`);
    return;
  }
  if (!follow || exec === undefined) throw new UsageError('--journal: it needs --follow and --exec');
  if (hasIsread || unread === undefined) throw new UsageError('--journal: give --unread in place of --isread');
  if (output ?? columns ?? csvSafe) throw new UsageError('--journal: prints no messages, so leave out output options');
}

/** Runs the command of `--exec` for each message that arrives, until a signal. */
export async function receiveInbox(
  flags: InboxFlags,
  { lineNumber }: FieldValues,
  { client, signal }: Session,
  context: Context,
): Promise<void> {
  if (lineNumber === undefined) throw new UsageError('missing: --line-number');
  const { journal = '', exec = '', unread, read, every, includeRead, keepDays, takeOver } = flags;
  const options = { client, journal, includeRead, takeOver, everyMs: every, lineNumbers: [lineNumber as string] };
  const numbers = { unread: readNumber(unread), read: readNumber(read), keepDays: readNumber(keepDays) };
  const inbox = await open({ ...options, ...numbers } as InboxOptions, context);
  try {
    await inbox.run(
      (message, { redelivered }) => runCommand(exec, `${formatJson({ ...message, redelivered })}\n`, signal, context),
      { signal },
    );
  } finally {
    await inbox.close();
  }
  signal.throwIfAborted();
}

async function open(options: InboxOptions, { log }: Context): Promise<Inbox> {
  const onFailure = (error: unknown, message?: ApiReceive): void =>
    log(
      message
        ? `warning: message ${message.messageid}: ${(error as Error).message}; running it again later`
        : `warning: ${explain(error).message}; asking again`,
    );
  // Loaded when it is used, because most commands need no journal.
  const { openInbox } = require('../../../inbox') as typeof import('../../../inbox');
  try {
    return await openInbox({ ...options, onFailure, onWarning: (warning) => log(`warning: ${warning}`) });
  } catch (error) {
    throw error instanceof ConfigurationError
      ? new UsageError(spellProblems(error, spellOption), { cause: error })
      : error;
  }
}

/** The inbox has a list of lines, and the command one line. */
function spellOption(option: string): string {
  return flagOf(option === 'lineNumbers' ? 'lineNumber' : option);
}

/** The number that a text writes. The inbox refuses any other text. */
function readNumber(text: string | undefined): unknown {
  return text !== undefined && /^-?\d{1,10}$/.test(text) ? Number(text) : text;
}

/**
 * Runs a command in a shell. The command has a process group of its own, because Ctrl-C in a terminal reaches the whole
 * group: the first signal waits for the command, and the second one kills it.
 */
async function runCommand(command: string, input: string, signal: AbortSignal, { io }: Context): Promise<void> {
  const isPosix = process.platform !== 'win32';
  const child = spawn(command, { shell: true, detached: isPosix, stdio: ['pipe', 'inherit', 'inherit'] });
  const kill = (): void => {
    if (child.pid === undefined || child.exitCode !== null) return;
    if (isPosix) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  };
  const killAtNextSignal = (): void => {
    io.signals.once('SIGINT', kill).once('SIGTERM', kill).once('SIGHUP', kill);
  };
  signal.addEventListener('abort', killAtNextSignal);
  if (signal.aborted) killAtNextSignal();
  try {
    // A command need not read its stdin.
    child.stdin.on('error', () => undefined).end(input);
    const [code, name] = await once(child, 'exit');
    if (code !== 0) throw new Error(code === null ? `--exec was ended by ${name}` : `--exec exited with ${code}`);
  } finally {
    signal.removeEventListener('abort', killAtNextSignal);
    io.signals.off('SIGINT', kill).off('SIGTERM', kill).off('SIGHUP', kill);
  }
}
