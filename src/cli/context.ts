import type { CliCommand } from './command';
import type { Io } from './io';
import type { Sink } from './output/sink';
import type { GlobalOptions } from './settings';

/** What every command is given. */
export interface Context {
  readonly io: Io;
  readonly stdout: Sink;
  /** Prints a line on stderr, for what is not data. */
  readonly say: (message: string) => void;
}

/** The options of a command with the global ones that stand before its name. Those after it win. */
export function optionsOf(program: CliCommand, command: CliCommand): GlobalOptions & Readonly<Record<string, unknown>> {
  return { ...program.opts(), ...command.opts() };
}
