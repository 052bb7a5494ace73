import type { Readable, Writable } from 'node:stream';
import { combineSignals } from '../../internal/signals';
import { Interrupted, UsageError } from './failure';
import type { Io } from './io';
import { visible, wrap } from './text';

// The build puts this package into a file of its own, because few commands ask.
const load = () => import('@clack/prompts');
type Prompts = Awaited<ReturnType<typeof load>>;

interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** True when someone can be asked: stdin and stderr lead to a terminal. */
export function canAsk({ stdin, stderr }: Io): boolean {
  return (stdin as Readable & { isTTY?: boolean }).isTTY === true && stderr.isTTY === true;
}

/**
 * Asks a question on a terminal, and resolves with the trimmed reply. The question goes to stderr, like everything that
 * is not data.
 *
 * @param signal ends the question
 * @throws {Interrupted} after Ctrl-C or Esc; {UsageError} when the input ends
 */
export async function ask(
  { stdin, stderr }: Io,
  signal: AbortSignal,
  question: (prompts: Prompts, terminal: Terminal) => Promise<string | symbol>,
): Promise<string> {
  const prompts = await load();
  const end = new AbortController();
  const endInput = () => end.abort(new UsageError('the input ended before the last question'));
  // The library does not see the end of the input, nor Ctrl-D, with which a user ends it.
  const onKey = (key: string | undefined) => key === '\x04' && endInput();
  stdin.on('keypress', onKey).once('end', endInput);
  // The library leaves a listener on its signal.
  const limit = combineSignals([signal, end.signal]);
  try {
    const reply = await question(prompts, { input: stdin, output: withSize(stderr), signal: limit.signal });
    if (typeof reply === 'string') return reply.trim();
    limit.signal.throwIfAborted();
    throw new Interrupted('SIGINT');
  } finally {
    limit.release();
    stdin.off('keypress', onKey).off('end', endInput);
  }
}

/** Asks for a yes. An empty reply is a no. */
export async function askYes(io: Io, signal: AbortSignal, question: string): Promise<boolean> {
  const message = `${question} [y/N]`;
  return /^y(es)?$/i.test(await ask(io, signal, ({ text }, terminal) => text({ message, ...terminal })));
}

/** The columns that the frame of the questions takes. */
const FRAME = 3;

/** Prints a line between two questions, within their frame. */
export async function tellBetween({ stderr }: Io, line: string): Promise<void> {
  const { log } = await load();
  const output = withSize(stderr);
  log.message(wrap(visible(line), output.columns - FRAME), { output });
}

/**
 * A terminal with a size. A terminal of unknown size, as in some containers and consoles of CI, reports 0 columns, and
 * the library would put each letter on a line of its own.
 */
function withSize(terminal: Io['stderr']): Io['stderr'] & { readonly columns: number } {
  const sizes: Readonly<Record<string | symbol, number>> = {
    columns: terminal.columns || 80,
    rows: terminal.rows || 24,
  };
  return new Proxy(terminal, {
    get(target, name) {
      const value = sizes[name] ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  }) as Io['stderr'] & { readonly columns: number };
}
