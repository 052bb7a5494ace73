import { resolve } from 'node:path';
import type { InboxCounts } from '../../../inbox';
import type { Context } from '../../commander/command';
import { quoteForTerminal } from '../../terminal/text';

/** "40 messages known, 2 waiting, 1 set aside" */
export function countsText({ known, waiting, setAside }: InboxCounts): string {
  return `${known} ${known === 1 ? 'message' : 'messages'} known, ${waiting} waiting, ${setAside} set aside`;
}

/** Spells the command that makes messages that were set aside wait again. */
export function spellRetry({ io }: Context, journal: string): string {
  return `${io.invocation} inbox retry ${quoteForTerminal(resolve(journal))}`;
}

/** The names of options that the command line spells in another way than the library. */
export const spellings = { lineNumbers: '--line-number', journal: 'the journal', ids: '--id' };
