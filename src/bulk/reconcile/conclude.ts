import { addToGroup } from '../groups';
import type { Evidence, Listed, OlderMessages, UnexplainedMessage } from './evidence';
import type { SoughtRow } from './facts';

/** Why nothing can be concluded about a row. */
export const reasons = {
  repeated: 'the service lists an id twice, so its messages cannot be counted',
  order: 'the program cannot tell in which order the service lists messages',
  older: 'the service does not list an older message of its sender and every row that was sent since',
  olderDate: 'the listing may end within the second in which the row was sent',
  mayBeOlder: 'a message with its receptor and text is listed, and may be from before the list',
  count: 'another row has the same receptor and text, and a message is listed that may be of either row',
  doubled: 'another row has the same receptor and text, and the service may list one message twice',
  similar: 'a message with its receptor or text is listed, and may be the row as the service writes it',
  newest: 'the listing may lack the newest messages',
  peer: 'no older row with its date and mode is listed, so the service may hide such messages',
} as const;
export type Reason = keyof typeof reasons;

export type RowVerdict =
  | { readonly row: number; readonly is: 'found'; readonly id: bigint }
  | { readonly row: number; readonly is: 'not-found' }
  | { readonly row: number; readonly is: 'undecided'; readonly reason: Reason };

/** An unknown row, and what is listed that is older. */
interface PlacedRow extends SoughtRow, OlderMessages {}

/**
 * Rows that are indistinguishable, because a service may write the receptor and the text of one as those of another.
 */
interface Group {
  /** The unknown rows, in the order in which they were first sent. */
  readonly rows: readonly [PlacedRow, ...PlacedRow[]];
  /** The rows that an operator called sent without an id. */
  readonly resolved: readonly SoughtRow[];
  /** The sent rows whose messages have known ids. */
  readonly sent: readonly number[];
  /** The unexplained messages with their receptor and text. */
  readonly messages: readonly UnexplainedMessage[];
  /** The unknown rows to which a message with their content was given, and its id. */
  readonly found: ReadonlyMap<SoughtRow, bigint>;
  /** The unknown and resolved rows that are left without a message. */
  readonly rest: readonly SoughtRow[];
  /** The messages that are left without a row. */
  readonly strange: readonly UnexplainedMessage[];
}

/**
 * A condition of a conclusion. It returns the reason why the conclusion is not allowed; undefined when the condition
 * is met.
 */
type Rule<Subject> = (subject: Subject, listing: Evidence) => Reason | undefined;

/** The conditions for a listing to cover the time since a row was first sent. */
export const coverRules = {
  /** The order is seen. */
  order: (_, { order }) => (order === undefined ? 'order' : undefined),
  /** An older message of the row's sender is listed, and every sent row since then. */
  older: ({ oldest }) => (oldest === undefined ? 'older' : undefined),
  /**
   * The listing has an earlier date than some older message, so it is not cut within the row's date; or the order
   * within dates is seen.
   */
  olderDate: ({ latestDate }, listing) =>
    latestDate > listing.earliestDate || listing.isSeenWithinDates ? undefined : 'olderDate',
} as const satisfies Readonly<Record<string, Rule<PlacedRow>>>;

/** The conditions for the messages of a group to be counted. */
export const groupRules = {
  /** No id is listed twice. */
  repeated: (_, { hasRepeatedId }) => (hasRepeatedId ? 'repeated' : undefined),
  /**
   * Each message is newer than the oldest message that covers the rows; by its date, unless the order within dates is
   * seen.
   */
  mayBeOlder: ({ rows, messages }, listing) => {
    const isNewer = (message: UnexplainedMessage, start: Listed) =>
      listing.timeOf(message) > listing.timeOf(start) && (message.date !== start.date || listing.isSeenWithinDates);
    const starts = rows.flatMap(({ oldest = [] }) => oldest);
    const areNewer = messages.every((message) => starts.some((start) => isNewer(message, start)));
    return listing.exceedsBaseline || areNewer ? undefined : 'mayBeOlder';
  },
  /**
   * Each message has the content of a row of its own. No row is left without one, unless none has one, or all rows are
   * equal.
   */
  count: ({ rows: [first, ...others], resolved, messages, rest, strange }) => {
    const rows = [first, ...others, ...resolved];
    if (strange.length > 0) {
      const isOfRow = (message: UnexplainedMessage) => rows.some(({ content }) => content === message.content);
      return strange.every(isOfRow) ? 'count' : 'similar';
    }
    if (rest.length === 0) return undefined;
    const areEqual = rows.every(({ content, kind }) => content === first.content && kind === first.kind);
    return resolved.length === 0 && (messages.length === 0 || areEqual) ? undefined : 'count';
  },
  /**
   * Where one message could be listed as two, ten other rows with texts at least as long, and all other messages, are
   * listed once.
   */
  doubled: ({ rows, resolved, sent, messages }, listing) => {
    if (messages.length === 0 || messages.length + sent.length === 1) return undefined;
    const { facts } = listing;
    const sought = new Set(facts.rows.map(({ likeness }) => likeness));
    const others = [...listing.sentRows].filter((row) => listing.isListed(row) && !sought.has(facts.likeness(row)));
    const length = [...rows, ...resolved].reduce((longest, row) => Math.max(longest, row.length), 0);
    const areOnce =
      !listing.hasRepeatedContent &&
      sent.every((row) => listing.isListed(row)) &&
      others.every((row) => !listing.hasUnexplained(facts.content(row))) &&
      others.filter((row) => listing.lengthOf(row) >= length).length >= 10;
    return areOnce ? undefined : 'doubled';
  },
  /**
   * Where other rows to the receptor are sought too, each of these rows has one message: a message may be another row
   * with a changed text.
   */
  similar: ({ rows: [{ receptor }], rows, resolved, messages }, { facts, unexplained }) => {
    const sought = facts.rows.filter((row) => row.receptor === receptor);
    if (messages.length === 0 || sought.length === rows.length + resolved.length) return undefined;
    const listed = unexplained.filter((message) => message.receptor === receptor);
    return contentsOf(sought) === contentsOf(listed) ? undefined : 'similar';
  },
} as const satisfies Readonly<Record<string, Rule<Group>>>;

/** The conditions for a row without a message not to be sent. */
export const absenceRules = {
  /** The listing has the newest message. */
  newest: (_, { hasNewest }) => (hasNewest ? undefined : 'newest'),
  /** Sent rows with its date and mode are listed that are older, or enough of them that overlapped with it. */
  peer: ({ hasPeer }) => (hasPeer ? undefined : 'peer'),
  /**
   * No unexplained message has its receptor or text, unless the message has another receptor and the content of
   * another sought row.
   */
  similar: (row, { soughtContents, unexplained }) => {
    const isOther = ({ content }: UnexplainedMessage) => content !== row.content && soughtContents.has(content);
    const isSimilar = (message: UnexplainedMessage) =>
      message.receptor === row.receptor
        ? message.text !== row.text
        : (message.isReceptorHidden || message.text === row.text) && !isOther(message);
    return unexplained.some(isSimilar) ? 'similar' : undefined;
  },
} as const satisfies Readonly<Record<string, Rule<PlacedRow>>>;

/** The rules of all conclusions. A test leaves out one of them. */
export interface Rules {
  readonly cover: readonly Rule<PlacedRow>[];
  readonly group: readonly Rule<Group>[];
  readonly absence: readonly Rule<PlacedRow>[];
}

export const allRules: Rules = {
  cover: Object.values(coverRules),
  group: Object.values(groupRules),
  absence: Object.values(absenceRules),
};

/**
 * Concludes from one listing, which was read to its end, what happened to each unknown row. The absence of a message
 * proves nothing by itself: the service may cut a listing by count, age, date, line or mode, rewrite messages, or list
 * them in any order.
 */
export function conclude(listing: Evidence, rules: Rules = allRules): RowVerdict[] {
  return groupRows(listing).flatMap((group): RowVerdict[] => {
    const uncovered = group.rows.map((row) => firstReason(rules.cover, row, listing)).find(isReason);
    // Where all other messages are newer than the baseline, a message that is listed needs no older one.
    const isOpen = uncovered !== undefined && !listing.exceedsBaseline;
    const reason = isOpen ? uncovered : firstReason(rules.group, group, listing);
    return group.rows.map((placed): RowVerdict => {
      const { row } = placed;
      if (reason !== undefined) return { row, is: 'undecided', reason };
      const id = group.found.get(placed);
      if (id !== undefined) return { row, is: 'found', id };
      const ownReason = uncovered ?? firstReason(rules.absence, placed, listing);
      return ownReason === undefined ? { row, is: 'not-found' } : { row, is: 'undecided', reason: ownReason };
    });
  });
}

function firstReason<Subject>(rules: readonly Rule<Subject>[], subject: Subject, listing: Evidence) {
  return rules.map((rule) => rule(subject, listing)).find(isReason);
}

function isReason(reason: Reason | undefined): reason is Reason {
  return reason !== undefined;
}

function contentsOf(items: readonly { readonly content: bigint }[]): string {
  return items
    .map(({ content }) => `${content}`)
    .sort()
    .join();
}

/** Lists the groups that have unknown rows, and gives each message to a row with its content. */
function groupRows(listing: Evidence): Group[] {
  const { facts, unexplained } = listing;
  const groups = new Map<bigint, SoughtRow[]>();
  for (const row of facts.rows) addToGroup(groups, row.likeness, row);
  const sentRows = new Map<bigint, number[]>();
  for (const row of listing.sentRows) {
    const likeness = facts.likeness(row);
    if (groups.has(likeness)) addToGroup(sentRows, likeness, row);
  }
  return [...groups.values()].flatMap((members): Group[] => {
    const [first, ...others] = members
      .filter(({ isUnknown }) => isUnknown)
      .sort((a, b) => a.firstIntent - b.firstIntent)
      .map((row): PlacedRow => ({ ...row, ...listing.older(row) }));
    if (first === undefined) return [];
    const resolved = members.filter(({ isUnknown }) => !isUnknown);
    const messages = unexplained.filter(({ receptor, text }) => receptor === first.receptor && text === first.text);
    const rest: SoughtRow[] = [first, ...others, ...resolved];
    const found = new Map<SoughtRow, bigint>();
    const strange: UnexplainedMessage[] = [];
    for (const message of messages) {
      const index = rest.findIndex(({ content }) => content === message.content);
      const [row] = index < 0 ? [] : rest.splice(index, 1);
      if (row === undefined) strange.push(message);
      else if (row.isUnknown) found.set(row, message.id);
    }
    const sent = sentRows.get(first.likeness) ?? [];
    return [{ rows: [first, ...others], resolved, sent, messages, found, rest, strange }];
  });
}
