import { trueOrFalse } from '../options/checks';
import type { FlagTable } from '../options/table';

/** The option of everything that opens a journal for writing. */
export const takeOverOption = {
  /**
   * Set it when a process on another host left the journal open and you know that it has ended. This cannot be checked
   * from here. Default false.
   */
  takeOver: {
    read: trueOrFalse,
    default: false,
    flag: { help: 'use a journal that a process on another host left open; only after it has ended' },
  },
} as const satisfies FlagTable;
