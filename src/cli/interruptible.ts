import type { EventEmitter } from 'node:events';
import { Interrupted } from './failure';

/**
 * Runs work that SIGINT (Ctrl-C) and SIGTERM abort. Only the first of each is caught: a second one ends the process, whatever
 * it is doing.
 */
export async function interruptible<T>(signals: EventEmitter, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (name: 'SIGINT' | 'SIGTERM'): void => controller.abort(new Interrupted(name));
  signals.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    return await work(controller.signal);
  } finally {
    signals.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}
