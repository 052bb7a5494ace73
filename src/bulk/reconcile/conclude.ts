import { type Signal, wait } from '../../internal/signals';
import { addToGroup } from '../groups';
import type { Evidence, OlderMessages } from './evidence';
import type { SoughtRow } from './facts';
import type { Listed, UnexplainedMessage } from './listed-messages';

/** Why nothing can be concluded about a row. */
export const reasons = {
  repeated: 'the service lists an id twice, so its messages cannot be counted',
  order: 'the program cannot tell in which order the service lists messages',
  older:
    'the list of the service may begin after it: it has no message of this sender that was certainly sent before, or lacks a row that was sent since',
  olderDate: 'the list of the service may end within the second in which it was sent',
  mayBeOlder: 'a message with its receptor and text is listed, and may be from before the list',
  count: 'another row has the same receptor and text, and a message is listed that may be of either row',
  doubled: 'another row has the same receptor and text, and the service may list one message twice',
  similar: 'a message with its receptor or text is listed, and may be the row as the service writes it',
  account: 'another API key was given since it was sent, and no message that was sent with the earlier one is listed',
  awaited:
    'another list has a row with its message that is in a queue, with a worker or under way, and a listed message may be of that row',
  newest: 'the list of the service may lack its newest messages',
  lost: 'Redis has lost the claim of its worker, which may still send it',
  comparable: 'no older row with its sender, date and mode is listed, so the service may hide such messages',
} as const;
export type Reason = keyof typeof reasons;

/** An unknown row, and what is listed that is older. */
interface PlacedRow extends SoughtRow, OlderMessages {}

/**
 * Rows that are indistinguishable, because a service may write the receptor and the text of one as those of another.
 */
type Group = ReturnType<typeof groupRows>[number];

/**
 * A condition of a conclusion. It returns the reason why the conclusion is not allowed; undefined when the condition
 * is met.
 */
type Rule<Subject> = (subject: Subject, listing: Evidence) => Reason | undefined;

/** The rules of all conclusions. A test leaves out one of them. */
export interface Rules {
  /** The conditions for a listing to cover the time since a row was first sent. */
  readonly cover: Readonly<Record<string, Rule<PlacedRow>>>;
  /** The conditions for the messages of a group to be counted. */
  readonly group: Readonly<Record<string, Rule<Group>>>;
  /** The conditions for a row without a message not to be sent. */
  readonly absence: Readonly<Record<string, Rule<PlacedRow>>>;
}

export const allRules: Rules = {
  cover: {
    /** The order is seen. */
    order: (_, { order }) => (order.direction === undefined ? 'order' : undefined),
    /** An older message of the row's sender is listed, and every sent row since then. */
    older: ({ oldest }) => (oldest === undefined ? 'older' : undefined),
    /**
     * A message of the row's sender has an earlier date than some older one, by more than dates go against the order,
     * so the listing is not cut at the row's date; or the order within dates is seen, and every known message is
     * listed.
     */
    olderDate: ({ earliestDate, latestDate }, { disorder, order, hasAllKnown }) =>
      latestDate - earliestDate > disorder || (order.isSeenWithinDates && hasAllKnown) ? undefined : 'olderDate',
  },
  group: {
    /** No outcome of another list may still come that has one of the messages. */
    awaited: ({ rows }, { facts }) => (rows.some(({ row }) => facts.awaited.has(row)) ? 'awaited' : undefined),
    /** No id is listed twice. */
    repeated: (_, { listed }) => (listed.hasRepeatedId ? 'repeated' : undefined),
    /**
     * Each message is newer than the oldest message that covers the rows. It has a later date; or the same date, where
     * the oldest message is of a sent row and the order within dates is seen. The page of the baseline may have begun
     * anywhere within its date.
     */
    mayBeOlder: ({ rows, messages }, listing) => {
      const isNewer = (message: UnexplainedMessage, start: Listed) =>
        listing.isOlder(start, message) &&
        (message.date > start.date ||
          (message.date === start.date && start.row !== undefined && listing.order.isSeenWithinDates));
      const starts = [...new Set(rows.flatMap(({ oldest = [] }) => oldest))];
      const areNewer = messages.every((message) => starts.some((start) => isNewer(message, start)));
      return listing.exceedsBaseline || areNewer ? undefined : 'mayBeOlder';
    },
    /**
     * Each message has the content of a row of its own. No row is left without one, unless none has one, or all rows
     * are equal.
     */
    count: ({ rows: [first], resolved, sought, messages, rest, strange }) => {
      if (strange.length > 0) {
        const contents = new Set(sought.map(({ content }) => content));
        return strange.every(({ content }) => contents.has(content)) ? 'count' : 'similar';
      }
      if (rest.length === 0) return undefined;
      const areEqual = sought.every(({ content, kind }) => content === first.content && kind === first.kind);
      return resolved.length === 0 && (messages.length === 0 || areEqual) ? undefined : 'count';
    },
    /**
     * Several messages have different dates, and nothing is listed more often than it is known to be sent. So the
     * service does not list one message as two.
     */
    doubled: ({ sent, messages }, listing) => {
      if (messages.length === 0 || messages.length + sent.length === 1) return undefined;
      const all = [...messages, ...sent.map((row) => listing.listed.ofRows.get(row))];
      const dates = new Set(all.map((message) => message?.date));
      const areDifferent = dates.size === all.length && !dates.has(undefined);
      return areDifferent && !listing.hasSurplus ? undefined : 'doubled';
    },
    /**
     * Where other rows to the receptor are sought too, each of these rows has one message: a message may be another row
     * with a changed text.
     */
    similar: ({ rows: [{ receptor }], sought, messages }, listing) => {
      if (messages.length === 0 || listing.soughtTo(receptor).length === sought.length) return undefined;
      return listing.areEqualTo(receptor) ? undefined : 'similar';
    },
  },
  absence: {
    /** The listing has the newest message. */
    newest: (_, { hasNewest }) => (hasNewest ? undefined : 'newest'),
    /** Older sent rows with its sender, date and mode are listed, or enough of them that overlapped with it. */
    comparable: ({ hasComparable }) => (hasComparable ? undefined : 'comparable'),
    /**
     * No unexplained message has its receptor or text, unless the message has another receptor and the content of
     * another sought row.
     */
    similar: (row, listing) => (listing.hasSimilar(row) ? 'similar' : undefined),
    /** Redis has not lost the claim of a worker that may still send it. */
    lost: ({ isLost }) => (isLost ? 'lost' : undefined),
  },
};

/** The number of groups between two breaks for other work. */
const GROUPS_AT_ONCE = 500;

/**
 * Concludes from one listing, which was read to its end, what happened to each unknown row. The absence of a message
 * proves nothing by itself: the service may cut a listing by count, age, date, line or mode, rewrite messages, or list
 * them in any order.
 */
export async function conclude(listing: Evidence, rules: Rules = allRules, signal?: Signal) {
  const found: { readonly row: number; readonly id: bigint }[] = [];
  const notFound: number[] = [];
  const undecided = new Map<Reason, number[]>();
  let groups = 0;
  for (const group of groupRows(listing)) {
    groups += 1;
    // A signal must be able to end a long conclusion.
    if (groups % GROUPS_AT_ONCE === 0) await wait(0, signal);
    // Nothing says which row of the group lacks a message, so the conditions must hold for each of them.
    const reasonOf = (conditions: Rules['cover']) =>
      group.rows.flatMap((row) => firstReason(conditions, row, listing) ?? [])[0];
    const uncovered = reasonOf(rules.cover);
    // Where all other messages are newer than the baseline, a message that is listed needs no older one.
    const isOpen = uncovered !== undefined && !listing.exceedsBaseline;
    // A listing of another account says nothing about a row.
    const isOfOther = group.rows.some(({ row }) => listing.isOfOtherAccount(row));
    const shared = isOfOther ? 'account' : isOpen ? uncovered : firstReason(rules.group, group, listing);
    const absence = uncovered ?? reasonOf(rules.absence);
    for (const placed of group.rows) {
      const { row } = placed;
      const id = group.found.get(placed);
      const reason = shared ?? (id === undefined ? absence : undefined);
      if (reason !== undefined) addToGroup(undecided, reason, row);
      else if (id === undefined) notFound.push(row);
      else found.push({ row, id });
    }
  }
  return { found, notFound, undecided };
}

function firstReason<Subject>(rules: Readonly<Record<string, Rule<Subject>>>, subject: Subject, listing: Evidence) {
  for (const rule of Object.values(rules)) {
    const reason = rule(subject, listing);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Lists the groups that have unknown rows, and gives each message to a row with its content. */
function groupRows(listing: Evidence) {
  const { facts } = listing;
  const groups = new Map<bigint, SoughtRow[]>();
  for (const row of facts.rows) addToGroup(groups, row.likeness, row);
  // The sent rows whose messages have known ids.
  const sentRows = new Map<bigint, number[]>();
  for (const row of listing.listed.rowsById.values()) {
    const likeness = facts.likenesses[row] as bigint;
    if (groups.has(likeness)) addToGroup(sentRows, likeness, row);
  }
  return [...groups].flatMap(([likeness, members]) => {
    // In the order in which they were first sent.
    const [first, ...others] = members
      .filter(({ isUnknown }) => isUnknown)
      .sort((a, b) => a.firstIntent - b.firstIntent)
      .map((row): PlacedRow => ({ ...row, ...listing.older(row) }));
    if (first === undefined) return [];
    const rows: readonly [PlacedRow, ...PlacedRow[]] = [first, ...others];
    // An operator called them sent without an id.
    const resolved = members.filter(({ isUnknown }) => !isUnknown);
    const sought: readonly SoughtRow[] = [...rows, ...resolved];
    const messages = listing.like(first);
    // The rows that have no message yet, and the messages that have no row.
    const rest = [...sought];
    const strange: UnexplainedMessage[] = [];
    // The messages that were given to unknown rows.
    const found = new Map<SoughtRow, bigint>();
    for (const message of messages) {
      // The oldest row is left, because a service may list its latest messages only.
      const index = rest.findLastIndex(({ content }) => content === message.content);
      const [row] = index < 0 ? [] : rest.splice(index, 1);
      if (row === undefined) strange.push(message);
      else if (row.isUnknown) found.set(row, message.id);
    }
    return [{ rows, resolved, sought, sent: sentRows.get(likeness) ?? [], messages, found, rest, strange }];
  });
}
