import { Evidence } from './evidence';
import type { Facts, UnknownRow } from './facts';
import type { ListedMessages, UnexplainedMessage } from './listed-messages';

/** Why nothing can be concluded about a row, and what would decide it. */
export const reasons = {
  alike:
    'another row has the same receptor and text, so a message of one could be that of the other: only you can decide',
  several: 'the service lists several messages with its content: only you can decide which one is the row, if any',
  'may-be-older': 'a message with its content is listed, and may be from before the list: a longer listing may tell',
  'no-order': 'the order of the listing cannot be seen yet: send more rows, and reconcile again',
  'no-older': 'no older message of its sender is listed: a longer listing may have one',
  'no-newer': 'no message is listed that was sent after this wait: send more rows, and reconcile again',
  gap: 'messages that were sent at this time are not listed, or not as they were sent: a longer listing may have them',
  'no-peer': 'no sent row with its sender, date and mode is listed near it: send more rows, and reconcile again',
  similar:
    'a message with its receptor or text is listed, and may be the row as the service writes it: only you can decide',
} as const;
export type Reason = keyof typeof reasons;

export type RowVerdict =
  | { readonly row: number; readonly is: 'found'; readonly id: bigint }
  | { readonly row: number; readonly is: 'not-found' }
  | { readonly row: number; readonly is: 'undecided'; readonly reason: Reason };

/** A condition of a verdict. It returns the reason why the verdict is not allowed; undefined when the condition is met. */
export type Rule<Subject> = (subject: Subject, evidence: Evidence) => Reason | undefined;

/** A row, and the messages between which it was sent. */
export interface Placed {
  readonly row: UnknownRow;
  /** The age of the newest older message of the row's sender; undefined without one. */
  readonly older: number | undefined;
  /** The age of the oldest newer message; undefined without one, or when the latest page lists the newest message first. */
  readonly newer: number | undefined;
  /** True when the listing ends with the newest message of the service. */
  readonly hasNewest: boolean;
  /** The unexplained messages, without those of rows that were found. */
  readonly isExplained: (message: UnexplainedMessage) => boolean;
}

/** The conditions for an unknown row to be found. */
export const foundRules = {
  /** 1. No other row of the file is alike. */
  alike: ({ isAlike }) => (isAlike ? 'alike' : undefined),
  /** 2. Exactly one unexplained message has its sender, receptor and text. */
  several: (row, evidence) => (idsOf(row, evidence).size > 1 ? 'several' : undefined),
  /**
   * 3. The message is not from before the list: the baseline had all messages, and this listing has more; or the order is seen, an
   * older message is listed, and the message is on the newer side of all older messages.
   */
  older: (row, evidence) => (evidence.exceedsBaseline || isNewerThanOlder(row, evidence) ? undefined : 'may-be-older'),
} as const satisfies Readonly<Record<string, Rule<UnknownRow>>>;

/** The conditions for an unknown row not to be found. */
export const notFoundRules = {
  /** 1. No other row of the file is alike. */
  alike: ({ row: { isAlike } }) => (isAlike ? 'alike' : undefined),
  /** 2. The order is seen. */
  order: (_, { order }) => (order ? undefined : 'no-order'),
  /** 3. An older message of the row's sender is listed. */
  older: ({ older }) => (older === undefined ? 'no-older' : undefined),
  /** When the order within a date is not seen, a message with an older date is listed too. */
  olderDate: ({ older }, evidence) =>
    evidence.order?.hasTies && older !== undefined && evidence.rankAt(older) === 0 ? 'no-older' : undefined,
  /** 4. A newer message is listed, or the latest page begins with the newest message. */
  newer: ({ newer, hasNewest }) => (newer === undefined && !hasNewest ? 'no-newer' : undefined),
  /** When the order within a date is not seen, a message with a newer date is listed too. */
  newerDate: ({ newer, hasNewest }, evidence) =>
    evidence.order?.hasTies && !hasNewest && newer !== undefined && evidence.rankAt(newer) === evidence.order.top
      ? 'no-newer'
      : undefined,
  /** 5. Every known message between the two is listed with its content. */
  gap: ({ older, newer }, evidence) => (evidence.lacksMessages(older, newer) ? 'gap' : undefined),
  /** 6. One of these messages, or the older one, belongs to a sent row with the same sender, date and mode. */
  peer: (placed, evidence) => (evidence.hasKind(placed.row, spanOf(placed, evidence)) ? undefined : 'no-peer'),
  /** 7. No unexplained message between the two has the row's receptor or its text. */
  similar: (placed, evidence) => (resembles(placed, evidence) ? 'similar' : undefined),
} as const satisfies Readonly<Record<string, Rule<Placed>>>;

/** The rules of both verdicts. */
export interface Rules {
  readonly found: readonly Rule<UnknownRow>[];
  readonly notFound: readonly Rule<Placed>[];
}

const allRules: Rules = { found: Object.values(foundRules), notFound: Object.values(notFoundRules) };

/**
 * Concludes from one listing, which was read to its end, what happened to each unknown row. The absence of a message proves nothing
 * by itself: the service may cut a listing by count, age, date, line or mode, rewrite messages, or list them in any order.
 *
 * @param isPage true for a listing of the latest messages
 */
export function conclude(facts: Facts, listed: ListedMessages, isPage: boolean, rules: Rules = allRules): RowVerdict[] {
  const evidence = new Evidence(facts, listed, isPage);
  const found = new Map<UnknownRow, bigint>();
  for (const row of facts.rows) {
    const [id] = idsOf(row, evidence);
    if (id !== undefined && firstReason(rules.found, row, evidence) === undefined) found.set(row, id);
  }
  // Rows that are found are known at once.
  const foundIds = new Set(found.values());
  const isExplained = ({ id }: UnexplainedMessage) => foundIds.has(id);
  return facts.rows.map((row): RowVerdict => {
    const id = found.get(row);
    if (id !== undefined) return { row: row.row, is: 'found', id };
    const reason = firstReason(rules.notFound, place(row, evidence, isPage, isExplained), evidence);
    if (reason === undefined) return { row: row.row, is: 'not-found' };
    const isListed = idsOf(row, evidence).size > 0;
    const foundReason = isListed ? firstReason(rules.found, row, evidence) : undefined;
    return { row: row.row, is: 'undecided', reason: foundReason ?? reason };
  });
}

function firstReason<Subject>(
  rules: readonly Rule<Subject>[],
  subject: Subject,
  evidence: Evidence,
): Reason | undefined {
  for (const rule of rules) {
    const reason = rule(subject, evidence);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** The ids of the unexplained messages with the row's sender, receptor and text. */
function idsOf({ message }: UnknownRow, evidence: Evidence): ReadonlySet<bigint> {
  return new Set(evidence.unexplained(message).map(({ id }) => id));
}

function isNewerThanOlder(row: UnknownRow, evidence: Evidence): boolean {
  const { order } = evidence;
  const older = evidence.newestOlder(row);
  if (order === undefined || older === undefined || !evidence.hasStart(row)) return false;
  return evidence.unexplained(row.message).every(({ place: at }) => order.rank(at) > evidence.rankAt(older));
}

/** Finds the messages between which a row was sent. */
function place(row: UnknownRow, evidence: Evidence, isPage: boolean, isExplained: Placed['isExplained']): Placed {
  const hasNewest = isPage && evidence.order?.isNewestFirst === true;
  const newer = hasNewest ? undefined : evidence.oldestNewer(row);
  const nearest = { row, older: evidence.newestOlderOfSender(row), newer, hasNewest, isExplained };
  if (nearest.older === undefined || evidence.hasKind(row, spanOf(nearest, evidence))) return nearest;
  // An older message of the row's sender that has its date and mode too meets one more condition.
  return { ...nearest, older: evidence.newestOlderOfKind(row) ?? nearest.older };
}

function spanOf({ older, newer }: Placed, evidence: Evidence): { from: number; to: number } {
  return {
    from: older === undefined ? 0 : evidence.rankAt(older),
    to: newer === undefined ? Number.POSITIVE_INFINITY : evidence.rankAt(newer),
  };
}

function resembles(placed: Placed, evidence: Evidence): boolean {
  const { from, to } = spanOf(placed, evidence);
  const { receptor, text } = placed.row;
  return [...evidence.unexplained(receptor), ...evidence.unexplained(text)].some((message) => {
    const rank = evidence.order?.rank(message.place) ?? message.place;
    return rank >= from && rank <= to && !placed.isExplained(message);
  });
}
