import { existsSync } from 'node:fs';
import { type ListRecord, type MovedRecord, rowsOf } from './records';

/** A move that a crash has left without its file's name: the path of the file now, and its rows. */
export interface UnfinishedMove {
  readonly part: string;
  readonly to: string;
  readonly rows: number;
}

/** Finds a move whose file has no name yet. @param target the name; by default any */
export function findUnfinished(
  list: ListRecord,
  moves: readonly MovedRecord[],
  target?: string,
): UnfinishedMove | undefined {
  for (const [index, { to, ranges }] of moves.entries()) {
    const part = partOf(list, index, to);
    if ((target === undefined || to === target) && existsSync(part))
      return { part, to, rows: [...rowsOf(ranges)].length };
  }
  return undefined;
}

/**
 * The path of a move's file before it has its name. No other move has the same, so none takes this file for its own.
 */
export function partOf({ sha256 }: ListRecord, index: number, target: string): string {
  return `${target}.${sha256.slice(0, 8)}-${index + 1}`;
}
