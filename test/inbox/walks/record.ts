import { type Incoming, READ, UNREAD, type WalkService } from './service';

/** A process that has a journal open. */
export interface SessionFacts {
  readonly service: WalkService;
  readonly unread: number;
  readonly read: number | undefined;
  readonly includeRead: boolean;
}

/** True when the values of isread are swapped at a service that distinguishes them. */
export function isSwapped({ service, unread }: SessionFacts): boolean {
  return unread === READ && service.habits.kind !== 'ignoring';
}

/** What became of a message in a journal, known from requests and calls alone. */
interface Fate {
  readonly message: Incoming;
  /** Set once a response had it, and the process has gone on: it is in the journal. */
  delivered: { readonly isread: number; readonly session: SessionFacts } | undefined;
  /** Delivers it. Set when a response has begun to give it: it may be in the journal. */
  offer: (() => void) | undefined;
  /** The values of isread that have begun to give it until it was delivered: one of them is in the journal. */
  readonly offeredBy: Set<number>;
  /** True when a handler must get it. */
  isOwed: boolean;
  /** True when it was read before the journal's first request to its service. No handler may get it. */
  isOld: boolean;
  /** True when a request without a look at read messages may have lost it. */
  isRisked: boolean;
  /** True when a run had swapped values that its service did not show, because it no longer has the message. */
  isMisjudged: boolean;
  /** True when the journal may have it twice, with two dates: a service whose values are swapped seemed to mark. */
  mayBeTwo: boolean;
  /** True when no program could know that a handler must get it. */
  isExcused: boolean;
  calls: number;
  /** True when a call may be in the journal that the handler did not see. */
  mayBeCalled: boolean;
  /** `maybe` after a kill: the success may be in the journal. */
  state: 'open' | 'running' | 'done' | 'maybe' | 'handled';
}

/** A line of a service, as the journal has seen it. */
interface SeenLine {
  /** True after the first request for the unread messages with the right values: the read ones are listed. */
  isLookedAt: boolean;
  /** True after the first such request with swapped values at a service that marks nothing. */
  isMisled: boolean;
  /** The values of isread between which a message was seen to go. */
  readonly marking: Set<number>;
}

/**
 * An independent record of a journal: it knows the service, the requests and the calls of handlers, and nothing of what
 * the journal holds.
 */
export class JournalRecord {
  readonly #fates = new Map<number, Fate>();
  readonly #lines = new Map<string, SeenLine>();
  /** What is in the journal once the process goes on. */
  #pending: (() => void)[] = [];
  /** By line: the messages that this process has listed as unread, and those of them that were not listed again. */
  #moves = new Map<string, { readonly unread: Set<number>; gone: readonly number[] }>();
  #session: SessionFacts | undefined;
  #hasIncludedRead = false;
  /** The time in this session without a failed request, in milliseconds. */
  #quietMs = 0;
  /** The end of this time when each unread message was first seen waiting. */
  #waitingSince = new Map<number, number>();
  hasTornEnd = false;
  /**
   * True when the service has removed messages in this session, or has no longer all that waited before it: their ids,
   * senders and texts may come again, and no list shows that a value of isread is wrong.
   */
  hasRemoved = false;

  /** The service that the journal belongs to. */
  get service(): WalkService | undefined {
    return this.#session?.service;
  }

  get isEmpty(): boolean {
    return ![...this.#fates.values()].some(({ offer }) => offer);
  }

  begin(session: SessionFacts): void {
    // Another service has a first look of its own.
    if (this.service !== session.service) this.#lines.clear();
    this.#session = session;
    this.#moves = new Map();
    this.hasRemoved = [...this.#fates.values()].some((fate) => {
      return fate.offer && fate.state !== 'handled' && !this.#isThere(fate.message);
    });
    this.noteFault();
    this.#hasIncludedRead ||= session.includeRead;
  }

  end(isKilled: boolean): void {
    if (!isKilled) return this.goOn();
    this.#pending = [];
    for (const fate of this.#fates.values()) {
      fate.mayBeCalled ||= true;
      if (fate.state === 'running') fate.state = 'open';
      if (fate.state === 'done') fate.state = 'maybe';
    }
  }

  /** A request fails. */
  noteFault(): void {
    this.#quietMs = 0;
    this.#waitingSince = new Map();
  }

  /** The process waits. Returns what is wrong when it has not asked for an unread message for some turns. */
  wait(ms: number, lines: readonly string[]): string | undefined {
    this.goOn();
    this.#quietMs += ms;
    for (const { uid, line, isRead } of this.service?.messages ?? []) {
      if (isRead || !lines.includes(line) || this.#fates.get(uid)?.offer) continue;
      const since = this.#waitingSince.get(uid) ?? this.#quietMs;
      this.#waitingSince.set(uid, since);
      if (this.#quietMs - since > 20_000 && !this.isSwapHidden) return `nobody asks for message ${uid}`;
    }
    return undefined;
  }

  /** The process does something: all that it had before is in its journal. */
  goOn(): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const settle of pending) settle();
    for (const fate of this.#fates.values()) if (fate.state === 'done') fate.state = 'handled';
  }

  request(line: string, isread: number): void {
    this.goOn();
    const session = this.#session as SessionFacts;
    const { service, unread } = session;
    for (const fate of this.#fates.values()) fate.isMisjudged ||= unread === READ && !this.#isThere(fate.message);
    if (!this.#lines.has(line)) {
      this.#lines.set(line, { isLookedAt: false, isMisled: false, marking: new Set() });
      for (const message of service.messages) {
        const fate = message.line === line ? this.#fateOf(message) : undefined;
        if (fate) fate.isOld = message.isRead && (fate.isOld || !fate.offer);
      }
    }
    const seen = this.#lines.get(line) as SeenLine;
    if (isread !== unread) return;
    for (const message of session.read === undefined ? service.messages : [])
      if (message.line === line) this.#fateOf(message).isRisked ||= service.habits.kind === 'marking';
    // What was listed as read, and was removed before the first look had an end, tells nothing about its values.
    for (const fate of this.#fates.values()) {
      const isListed = session.read !== undefined && fate.offeredBy.has(session.read);
      if (isListed && fate.message.line === line && !this.#isThere(fate.message)) fate.isExcused = true;
    }
    if (unread === UNREAD) seen.isLookedAt ||= session.read === READ || service.habits.kind !== 'marking';
    else if (!seen.isMisled && service.habits.kind === 'unmarking') {
      seen.isMisled = true;
      // Both lists stay as they are, so nothing distinguishes them.
      for (const message of service.messages) if (message.line === line) this.#fateOf(message).isExcused ||= true;
    }
  }

  /** A message reaches the process. */
  offer(line: string, isread: number, message: Incoming): void {
    const session = this.#session as SessionFacts;
    const { marking, isLookedAt } = this.#lines.get(line) as SeenLine;
    const isMarking = marking.has(session.unread);
    const fate = this.#fateOf(message);
    fate.mayBeTwo ||= session.service.habits.readDateShift !== 0 && this.isSwapHidden;
    if (fate.delivered) return;
    fate.offeredBy.add(isread);
    fate.offer = () => this.#deliver(message, session, isread, isMarking, isLookedAt);
  }

  /** A response, or its beginning, reaches the process. @param isWhole false for a part */
  respond(line: string, isread: number, messages: readonly Incoming[], isWhole: boolean): void {
    const seen = this.#lines.get(line) as SeenLine;
    const { service, unread } = this.#session as SessionFacts;
    // A message with another date may be another message.
    const hasShift = service.habits.readDateShift !== 0;
    for (const message of messages) this.#pending.push(() => this.#fateOf(message).offer?.());
    const moves = this.#moves.get(line) ?? { unread: new Set<number>(), gone: [] };
    this.#moves.set(line, moves);
    const uids = new Set(messages.map(({ uid }) => uid));
    if (isread === unread) {
      for (const uid of uids) moves.unread.add(uid);
      if (isWhole) moves.gone = [...moves.unread].filter((uid) => !uids.has(uid));
    } else if (isWhole && !hasShift && moves.gone.some((uid) => uids.has(uid)))
      this.#pending.push(() => seen.marking.add(unread));
  }

  #deliver(message: Incoming, session: SessionFacts, isread: number, isMarking: boolean, isLookedAt: boolean): void {
    const fate = this.#fateOf(message);
    if (fate.delivered) return;
    const same = [...this.#fates.values()].filter((other) => other !== fate && isSame(other, message));
    const isAgain = same.some((other) => datesOf(other).has(message.date));
    fate.delivered = { isread, session };
    if (same.length > 0 && (isAgain || !isMarking || isread !== session.unread)) fate.isExcused = true;
    fate.isOwed = isread === UNREAD || (isLookedAt && !fate.isOld && !fate.isRisked);
  }

  /** A handler is called. Returns what is wrong with the call. */
  call(uid: number, redelivered: boolean): string | undefined {
    this.goOn();
    const fate = this.#fates.get(uid);
    fate?.offer?.();
    if (!fate?.delivered) return `message ${uid} was not delivered`;
    const { state, calls, mayBeCalled, delivered } = fate;
    const session = this.#session as SessionFacts;
    const { kind } = session.service.habits;
    fate.calls += 1;
    fate.state = 'running';
    if (calls > 0 && fate.mayBeTwo) return undefined;
    if (state === 'handled') return `message ${uid} is handled again`;
    if (calls > 0 && !redelivered) return `message ${uid} is handed out again without redelivered`;
    if (calls === 0 && !mayBeCalled && redelivered) return `message ${uid} is called redelivered the first time`;
    const isAtService = this.#isThere(fate.message);
    const others = [...this.#fates.values()].filter((other) => other !== fate && isSame(other, fate.message));
    const mayBeOld = this.#hasIncludedRead || fate.isMisjudged || others.some(({ isOld }) => !isOld);
    if (fate.isOld && !fate.isOwed && !mayBeOld) return `message ${uid} is old, and is handed out`;
    const isOfService = isAtService && delivered.session.service === session.service && kind === 'marking';
    if (
      isOfService &&
      !this.isSwapHidden &&
      isSwapped(session) &&
      isSwapped(delivered.session) &&
      delivered.isread === UNREAD
    )
      return `message ${uid} is handed out with swapped values`;
    return undefined;
  }

  /** A handler has ended. */
  return(uid: number, isDone: boolean): void {
    this.#fateOf({ uid } as Incoming).state = isDone ? 'done' : 'open';
  }

  /** The messages of these lines that a handler should have had by now. */
  lost(lines: readonly string[]): readonly Incoming[] {
    const { messages = [] } = this.service ?? {};
    const atService = messages.filter(({ uid, line }) => lines.includes(line) && !this.#fates.get(uid)?.delivered);
    const undelivered = atService.filter(({ uid }) => {
      const { isOld, isRisked, isExcused } = this.#fates.get(uid) ?? {};
      return !isOld && !isRisked && !isExcused;
    });
    // All messages of such a service are unread.
    const isIgnoring = this.service?.habits.kind === 'ignoring';
    for (const fate of this.#fates.values())
      fate.isOwed ||= isIgnoring && fate.delivered?.session.service === this.service && this.#isThere(fate.message);
    return [...undelivered, ...this.owed().filter(({ line }) => lines.includes(line))];
  }

  /** The messages in the journal that a handler must get. */
  owed(): readonly Incoming[] {
    const owed = [...this.#fates.values()].filter((fate) => fate.delivered && fate.isOwed && !fate.isExcused);
    return owed.filter(({ state }) => state === 'open' || state === 'running').map(({ message }) => message);
  }

  isHandled(uid: number): boolean {
    const fate = this.#fates.get(uid);
    return fate?.state === 'handled' && !fate.mayBeTwo;
  }

  /** True when the journal has two messages with this id on this line. */
  hasTwo(line: string, id: bigint): boolean {
    const found = [...this.#fates.values()].filter(({ message }) => message.line === line && message.id === id);
    return found.length > 1;
  }

  /** True when the values of isread are swapped, and the lists may not show it: one message may be taken for another. */
  get isSwapHidden(): boolean {
    return this.#session !== undefined && isSwapped(this.#session) && (this.hasRemoved || this.hasEqual);
  }

  /** True when two messages may be shown as equal in everything. */
  get hasEqual(): boolean {
    const all = [...this.#fates.values()].flatMap((fate) => {
      const { line, id, sender, text } = fate.message;
      return [...datesOf(fate)].map((date) => [line, id, sender, text, date].join());
    });
    return new Set(all).size < all.length;
  }

  #isThere({ uid }: Incoming): boolean {
    return this.service?.messages.some((message) => message.uid === uid) ?? false;
  }

  #fateOf(message: Incoming): Fate {
    const found = this.#fates.get(message.uid);
    if (found) return found;
    const fate: Fate = {
      ...{
        message,
        delivered: undefined,
        offer: undefined,
        offeredBy: new Set<number>(),
        isOwed: false,
        isOld: false,
        isRisked: false,
        mayBeTwo: false,
        isExcused: false,
      },
      ...{ isMisjudged: false, calls: 0, mayBeCalled: false, state: 'open' as const },
    };
    this.#fates.set(message.uid, fate);
    return fate;
  }
}

/** The dates with which a message is shown: as it arrived, and as its service shows it once it is read. */
function datesOf({ message: { date }, delivered }: Fate): ReadonlySet<number> {
  return new Set([date, date + (delivered?.session.service.habits.readDateShift ?? 0)]);
}

/** True for a message that may be known, and has the id, the sender and the text of another one. */
function isSame({ message, offer }: Fate, other: Incoming): boolean {
  const { line, id, sender, text } = message;
  return (
    offer !== undefined && line === other.line && id === other.id && sender === other.sender && text === other.text
  );
}
