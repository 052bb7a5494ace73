import type { Fate } from '../options';
import type { Unreadable } from '../others/other-lists';
import type { OddReceptors } from '../rows/odd-receptors';

/** Some rows of a list: their number, and the first ten. */
export interface SomeRows {
  readonly count: number;
  readonly first: readonly number[];
}

/** The rows whose messages other lists have sent, or may have sent. */
export interface RowsElsewhere {
  readonly count: number;
  /** The first ten rows, with the rows of the other lists. */
  readonly first: readonly { readonly row: number; readonly journal: string; readonly rowThere: number }[];
  /** The lists that have them, that with most rows first. */
  readonly lists: readonly ListElsewhere[];
}

/** A list that has sent messages of this one, or may have sent them. */
export interface ListElsewhere {
  readonly journal: string;
  /** The number of rows of this list. */
  readonly rows: number;
  /** The time of its last request, in milliseconds since 1970; 0 when it is not known. */
  readonly sentAt: number;
  /** The base URL of its service; undefined for a list that a program began without it. */
  readonly baseUrl: string | undefined;
  /** The process that has it open. */
  readonly pid: number | undefined;
}

/** The changes of a file of which something may have been sent, counted by message. */
export interface FileChange {
  readonly added: SomeRows;
  /** Rows of the earlier list. */
  readonly removed: SomeRows;
  /** Rows whose person was sent another text by the earlier list. */
  readonly corrected: SomeRows;
  readonly unchanged: SomeRows;
}

/** A list before it is begun, or before its pending rows are sent. */
export interface BeforeList {
  /** The number of rows. */
  readonly rows: number;
  /** The number of pending rows. */
  readonly pending: number;
  /**
   * The number of parts of all messages, as networks commonly count. This and what looks wrong are for a list that
   * begins.
   */
  readonly parts: number;
  readonly senders: ReadonlySet<string | null>;
  /**
   * The number of rows with the receptor and the text of another row. After a lost response, their messages are only
   * counted.
   */
  readonly indistinguishable: number;
  /** The receptors that are not 3 to 15 ASCII digits with at most one leading plus sign. */
  readonly oddReceptors: OddReceptors;
  /** The receptors with another number of digits than nearly all others, or without the zero that most begin with. */
  readonly otherLengths: OddReceptors;
  /** The number of rows whose text has several lines, and the first of them. */
  readonly ofSeveralLines: { readonly count: number; readonly row: number };
  /** The text of the first row; null for a row without a text. */
  readonly firstText: string | null;
  /** The rows whose receptors have lost the zero at their beginning, which another list has. */
  readonly lostZeros: SomeRows;
  /** True when the journal has no list yet. */
  readonly isNew: boolean;
  /** True when the list differs from the one that the journal has. */
  readonly isChanged: boolean;
  /** The changes, when something of the earlier list may have been sent: a new list takes its place. */
  readonly change: FileChange | undefined;
  /** The pending rows whose messages somebody has. */
  readonly sent: RowsElsewhere;
  /** The pending rows whose messages somebody may have or get. They are not sent now. */
  readonly waiting: RowsElsewhere;
  /** The pending rows that a running process may send for another list. The list cannot be sent meanwhile. */
  readonly busy: RowsElsewhere;
  /** The pending rows whose persons have another text of the earlier list. */
  readonly corrected: SomeRows;
  /** The journals that cannot be compared. */
  readonly unreadable: readonly Unreadable[];
}

/** The reply to a question about a list. What it does not say, the options of the list say. */
export interface BeginReply {
  /** The decision about rows whose messages somebody has. */
  readonly again?: Fate | undefined;
  /** The decision about rows whose persons have another text of the earlier list. */
  readonly corrected?: Fate | undefined;
  /** The names of journals that cannot be read, and without which the list goes on. */
  readonly without?: readonly string[] | undefined;
}

/** Called before a list is begun. */
// biome-ignore lint/suspicious/noConfusingVoidType: a callback without a reply returns nothing
export type OnBegin = (list: BeforeList) => BeginReply | void | Promise<BeginReply | void>;
