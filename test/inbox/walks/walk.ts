import { join } from 'node:path';
import { type Inbox, openInbox } from '../../../src/inbox';
import type { Random } from '../../support/random';
import { clientOf } from './client';
import { clock } from './clock';
import { type Advice, Judge } from './judge';
import type { KillPlan, WalkMachine, WalkProcess } from './machine';
import { JournalRecord, type SessionFacts } from './record';
import { type Habits, READ, UNREAD, WalkService } from './service';

const EVERY_MS = 5000;
/** The write with which a journal belongs to a service. The first one says which process has the journal open. */
const BINDING = 2;
const [SENDERS, TEXTS, LINES] = [
  ['0912', '0935'],
  ['STOP', 'hi', 'yes'],
  ['3000', '4000'],
];

/** What a user decides about a session. */
interface Choice {
  readonly unread: number;
  readonly read: number | undefined;
  readonly includeRead: boolean;
}

const RIGHT: Choice = { unread: UNREAD, read: READ, includeRead: false };
const SWAPPED: Choice = { unread: READ, read: UNREAD, includeRead: false };
/** What the program advises at a service that does not mark. */
const ALL: Choice = { unread: UNREAD, read: undefined, includeRead: true };

interface WalkJournal {
  readonly path: string;
  readonly record: JournalRecord;
}

/** A random walk of a service, a program and its user. */
export class Walk {
  readonly judge = new Judge();
  readonly #random: Random;
  readonly #machine: WalkMachine;
  readonly #folder: string;
  #services = 0;
  #messages = 0;
  #service: WalkService;
  #journals = 0;
  #journal: WalkJournal;
  #lines: readonly string[] = LINES.slice(0, 1);
  #choice: Choice;
  /** True while the world is quiet: no arrivals, failures and kills. */
  #isQuiet = false;
  /** The time at which a quiet session ends. */
  #endAt = Number.POSITIVE_INFINITY;
  /** Requests that reach the service later than their failure. */
  readonly #late: { readonly at: number; readonly run: () => void }[] = [];
  #abort = new AbortController();

  constructor(random: Random, machine: WalkMachine, folder: string) {
    this.#random = random;
    this.#machine = machine;
    this.#folder = folder;
    this.#service = this.#newService();
    this.#journal = this.#newJournal();
    this.#choice = this.#chance(0.3) ? SWAPPED : RIGHT;
    clock.onWait = (ms) => this.#wait(ms);
  }

  /** Takes the walk, and lets the judge say what went wrong. */
  async take(): Promise<void> {
    for (let sessions = 4 + this.#random.below(8); sessions > 0 && this.#isFine; sessions--) {
      this.#decide();
      await this.#run();
    }
    this.#isQuiet = true;
    this.#lines = LINES;
    for (let session = 0; session < 3 && this.#isFine; session++) {
      const isMarking = this.#service.habits.kind === 'marking';
      this.#choice = !isMarking && this.#choice.read === undefined ? ALL : RIGHT;
      this.#endAt = clock.now + 90_000;
      await this.#run();
    }
    if (!this.#isFine) return;
    const lost = this.#journal.record.lost(this.#lines);
    if (lost.length > 0) this.judge.fail(`lost: ${lost.map(({ uid }) => uid)}`);
  }

  get #isFine(): boolean {
    return this.judge.problems.length === 0;
  }

  #chance(probability: number): boolean {
    return this.#random.below(1_000_000) < probability * 1_000_000;
  }

  #newService(): WalkService {
    this.#services += 1;
    const kind: Habits['kind'] = this.#chance(0.7) ? 'marking' : this.#random.pick(['unmarking', 'ignoring'] as const);
    const [readDateShift, dateUnit] = [this.#random.pick([0, 0, 5, -3600]), this.#random.pick([1, 1, 60, 86_400])];
    const service = new WalkService(`https://service-${this.#services}.example`, { kind, readDateShift, dateUnit });
    this.judge.note(`service ${this.#services} ${JSON.stringify(service.habits)}`);
    for (let count = this.#random.below(4); count > 0; count--) this.#arrive(service);
    if (kind === 'marking' && this.#chance(0.5)) for (const message of service.messages) message.isRead = true;
    return service;
  }

  #newJournal(): WalkJournal {
    this.#journals += 1;
    return { path: join(this.#folder, `${this.#journals}.journal`), record: new JournalRecord() };
  }

  #arrive(service = this.#service): void {
    this.#messages += 1;
    const line = this.#random.pick(LINES);
    service.arrive(this.#messages, line, this.#random.pick(SENDERS), this.#random.pick(TEXTS), clock.now);
    const { id, sender, text, date } = service.messages.at(-1) as (typeof service.messages)[number];
    this.judge.note(`arrives ${this.#messages}: line ${line} id ${id} ${sender} ${text} ${date}`);
  }

  /** What happens in the world at any instant. */
  #live(): void {
    for (const late of this.#late.filter(({ at }) => at <= clock.now)) {
      this.#late.splice(this.#late.indexOf(late), 1);
      late.run();
    }
    if (this.#isQuiet) return;
    if (this.#chance(0.15)) this.#arrive();
    if (!this.#chance(0.01)) return;
    this.judge.note('the service restarts and gives its ids again');
    this.#journal.record.hasRemoved = true;
    this.#service.restart();
  }

  #wait(ms: number): void {
    this.judge.fail(this.#journal.record.wait(ms, this.#lines));
    this.#live();
    if (clock.now > this.#endAt || !this.#isFine || (!this.#isQuiet && this.#chance(0.08))) this.#abort.abort();
    if (ms > 1000 && this.#chance(0.02)) clock.now += 70_000;
  }

  /** The user and the world between two sessions. */
  #decide(): void {
    this.#live();
    if (this.#chance(0.1)) clock.now += 2 * 86_400_000;
    if (this.#chance(0.15)) this.#lines = LINES;
    if (this.#chance(0.15)) this.#move();
    if (this.#chance(0.08)) this.#journal = this.#newJournal();
    if (this.#chance(0.1)) this.#choice = this.#choice === SWAPPED ? RIGHT : SWAPPED;
  }

  /** Another service takes the place of the service, with or without its messages. */
  #move(): void {
    const old = this.#service;
    this.#service = this.#newService();
    const isCopy = this.#chance(0.5);
    if (isCopy) this.#service.copy(old);
    if (this.#service.habits.kind !== 'marking') for (const message of this.#service.messages) message.isRead = false;
    this.judge.note(isCopy ? 'it has the messages of the service before' : 'it has messages of its own');
  }

  #planKill(): KillPlan | undefined {
    if (this.#isQuiet || !this.#chance(0.5)) return undefined;
    const where = this.#random.pick(['before', 'in', 'after'] as const);
    return { operation: 1 + this.#random.below(40), where };
  }

  /** Runs a session to its end. */
  async #run(): Promise<void> {
    const { record, path } = this.#journal;
    const [plan, choice] = [this.#planKill(), this.#choice];
    const isForeign = record.service !== undefined && record.service !== this.#service && !record.isEmpty;
    const serviceMoved = isForeign && (this.#isQuiet || this.#chance(0.8));
    const facts: SessionFacts = { ...choice, service: this.#service };
    const words = [`journal ${this.#journals}`, JSON.stringify({ ...choice, serviceMoved }), `lines ${this.#lines}`];
    this.judge.note(`session: ${words.join(' ')}, kill ${JSON.stringify(plan)}`);
    this.judge.begin();
    const process = await this.#machine.start(plan);
    this.#abort = new AbortController();
    const opening = openInbox({
      ...{
        ...choice,
        serviceMoved,
        lineNumbers: this.#lines,
        journal: path,
        everyMs: EVERY_MS,
        maxAttempts: 3,
        keepDays: 1,
      },
      client: this.#client(process),
      onWarning: (warning) => this.judge.judgeWarning(warning, record, choice.read),
      onFailure: (error) => this.judge.judgeFailure(error),
      onSetAside: () => undefined,
    });
    const opened = await Promise.race([opening.catch((error: Error) => error), process.killed]);
    if (opened === 'killed') {
      if (plan?.operation === BINDING && plan.where === 'after') record.begin(facts);
      this.#endKilled();
    } else if (opened instanceof Error) {
      this.judge.judgeRefusal(opened, isForeign && !serviceMoved);
      if (this.#chance(0.5)) this.#journal = this.#newJournal();
    } else {
      record.begin(facts);
      await this.#receive(opened, facts, process);
    }
    await this.#machine.start(undefined);
    await this.judge.judgeStatus(path, record);
  }

  #client(process: WalkProcess) {
    return clientOf({
      ...{ service: this.#service, record: this.#journal.record, judge: this.judge, process },
      chance: (probability) => this.#chance(probability),
      below: (limit) => this.#random.below(limit),
      live: () => this.#live(),
      mayFail: () => !this.#isQuiet && this.#chance(0.12),
      later: (run) => this.#late.push({ at: clock.now + this.#random.below(50_000), run }),
    });
  }

  async #receive(inbox: Inbox, facts: SessionFacts, process: WalkProcess): Promise<void> {
    const { record } = this.#journal;
    if (this.#isQuiet || this.#chance(0.2)) await Promise.race([inbox.retry(), process.killed]);
    const handler = ({ uid }: { readonly uid: number }, redelivered: boolean) =>
      this.#handle(uid, redelivered, process);
    const running = inbox.run((message, { redelivered }) => handler(message as never, redelivered), {
      signal: this.#abort.signal,
    });
    const end = await Promise.race([running.catch((error: Error) => error), process.killed]);
    if (end === 'killed') return this.#endKilled();
    this.judge.note(`ended ${end instanceof Error ? end.message : ''}`);
    if (end instanceof Error) this.#obey(this.judge.judgeError(end, facts, record), facts);
    if ((await Promise.race([inbox.close(), process.killed])) === 'killed') this.#endKilled();
    else record.end(false);
  }

  #endKilled(): void {
    this.judge.note('killed');
    this.#journal.record.hasTornEnd = true;
    this.#journal.record.end(true);
  }

  async #handle(uid: number, redelivered: boolean, process: WalkProcess): Promise<void> {
    const { record } = this.#journal;
    this.judge.note(`handler ${uid} ${redelivered}`);
    this.judge.fail(record.call(uid, redelivered));
    clock.now += this.#random.below(50);
    this.#live();
    if (process.plan && this.#chance(0.05)) await process.kill();
    const isDone = this.#isQuiet || !this.#chance(0.2);
    record.return(uid, isDone);
    if (!isDone) throw this.judge.expectFailure(new Error('not now'));
  }

  /** The user does what an error advises. Some insist. */
  #obey(advice: Advice, { service }: SessionFacts): void {
    if (!this.#isQuiet && this.#chance(0.2)) return;
    if (advice === 'swapped') this.#choice = RIGHT;
    if (advice === 'not marking') this.#choice = service.habits.kind === 'marking' ? RIGHT : ALL;
  }
}
