import { existsSync } from 'node:fs';
import type { ConfigurationError, OptionProblem } from '../../../src';
import { readInbox } from '../../../src/inbox/inbox';
import { clock } from './clock';
import { isSwapped, type JournalRecord, type SessionFacts } from './record';

/** What a user may learn from the error with which a run ended. */
export type Advice = 'swapped' | 'not marking' | 'start again' | undefined;

/** Compares the words of the program with an independent record, and keeps what is wrong. */
export class Judge {
  readonly problems: string[] = [];
  readonly log: string[] = [];
  #warnings = 0;
  /** The failures of this session that the program may report. */
  readonly #failures = new Set<unknown>();

  note(text: string): void {
    this.log.push(`${clock.now / 1000}: ${text}`);
  }

  fail(problem: string | undefined): void {
    if (problem === undefined) return;
    this.note(`WRONG: ${problem}`);
    this.problems.push(problem);
  }

  begin(): void {
    this.#warnings = 0;
    this.#failures.clear();
  }

  /** A failure that the world made. */
  expectFailure<T extends Error>(error: T): T {
    this.#failures.add(error);
    return error;
  }

  judgeFailure(error: unknown): void {
    if (!this.#failures.has(error)) this.fail(`an untrue failure: ${error}`);
  }

  /** Judges why a journal was refused. @param isForeign true for a journal with messages of another service */
  judgeRefusal(error: Error, isForeign: boolean): void {
    if (!(isForeign && error.message.startsWith('journal: holds messages of')))
      this.fail(`an untrue refusal: ${error.message}`);
  }

  /** Judges the error with which a run ended. */
  judgeError(error: Error, facts: SessionFacts, { hasRemoved, hasEqual }: JournalRecord): Advice {
    const [first, second] = (error as Partial<ConfigurationError>).problems ?? [];
    const isMarking = facts.service.habits.kind === 'marking';
    const isWrong = isMarking && isSwapped(facts);
    const demand = (isTrue: boolean): void => this.fail(isTrue ? undefined : `an untrue error: ${error.message}`);
    if (gives(first, 'unread', facts.read)) {
      // The service may have lost its messages, and given the id of one to the same text of the same sender.
      demand((isWrong || hasRemoved || hasEqual) && gives(second, 'read', facts.unread));
      return 'swapped';
    }
    if (second?.option === 'includeRead') {
      demand(!isMarking || isSwapped(facts));
      return 'not marking';
    }
    demand(first?.option === 'read' && first.message.includes('or the service has removed') && (isWrong || hasRemoved));
    return 'start again';
  }

  judgeWarning(warning: string, record: JournalRecord, read: number | undefined): void {
    const [, id, line] = /^the journal knows another message (\d+) of line (\d+)/.exec(warning) ?? [];
    if (id !== undefined) this.#warnings += 1;
    if (this.#warnings > 1) this.fail('a second warning');
    const isTrue =
      (id !== undefined && (record.hasTwo(String(line), BigInt(id)) || record.isSwapHidden)) ||
      (warning.includes('is skipped') && record.hasTornEnd) ||
      (warning.startsWith('without read') && read === undefined);
    if (!isTrue) this.fail(`an untrue warning: ${warning}`);
  }

  /** Compares what `inbox status` prints with the record. */
  async judgeStatus(path: string, record: JournalRecord): Promise<void> {
    if (!existsSync(path)) return;
    const status = await readInbox(path).catch((error: Error) => error);
    if (status instanceof Error) return this.fail(`no status: ${status.message}`);
    const { counts, undecided, unhandled } = status;
    const uids = unhandled.map(({ message }) => (message as unknown as { readonly uid: number }).uid);
    const handled = uids.filter((uid) => record.isHandled(uid));
    if (handled.length > 0) this.fail(`the status has messages that are handled: ${handled}`);
    if (counts.waiting + counts.setAside !== uids.length) this.fail('the status counts other messages than it has');
    const missing = record.owed().filter(({ uid }) => !uids.includes(uid));
    if (missing.length > undecided) this.fail(`the status lacks messages: ${missing.map(({ uid }) => uid)}`);
  }
}

function gives(problem: OptionProblem | undefined, option: string, value: unknown): boolean {
  return problem?.option === option && problem.message.startsWith(`give ${value}`);
}
