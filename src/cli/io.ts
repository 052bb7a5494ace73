import type { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';

/** What the program touches of its process. A test gives its own. */
export interface Io {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  /** Emits SIGINT and SIGTERM, as the process does. */
  readonly signals: EventEmitter;
  /** How this program is called from a shell, for command lines that are ready to paste. */
  readonly invocation: string;
}

/** A stream that may lead to a terminal. */
export type Terminal = Writable & { readonly isTTY?: boolean; readonly columns?: number };
