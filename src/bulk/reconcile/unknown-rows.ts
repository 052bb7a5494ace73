import { digestMessage, type MessageKey, messageReader } from '../rows/digests';
import type { OpenList } from '../state/bulk-journal';

/** A listed message that belongs to no known row and is not in the baseline. */
export interface Candidate extends MessageKey {
  readonly id: bigint;
  /** The position in the listing, counted from 0. */
  readonly position: number;
}

/** The rows that the candidates show to be sent, and the rows that no candidate can be. All other rows are undecided. */
export interface Findings {
  readonly found: readonly { readonly row: number; readonly id: bigint }[];
  readonly notFound: readonly number[];
}

/** Unknown rows, by the messages that they would have sent. */
export class UnknownRows {
  readonly #list: OpenList;
  /** By the digest of sender, receptor and text, in ascending order. */
  readonly #byMessage = new Map<bigint, number[]>();
  /** By digests of sender and receptor, and of sender and text: a service may write the third field in its own way. */
  readonly #bySimilarity = new Map<bigint, number[]>();

  private constructor(list: OpenList) {
    this.#list = list;
  }

  /** Reads the input once more, because it is not kept. @throws {InputError} when it has changed */
  static async read(list: OpenList): Promise<UnknownRows> {
    const { rows, plan, journal } = list;
    const unknown = new UnknownRows(list);
    const keyOf = messageReader(plan.operation);
    let row = 0;
    for await (const chunk of rows.read()) {
      for (const values of chunk) {
        row += 1;
        if (journal.state.table.state(row) !== 'unknown') continue;
        const key = keyOf(rows.checkUnchanged(values, row));
        add(unknown.#byMessage, rows.digests.message(row), row);
        for (const similar of similaritiesOf(key)) add(unknown.#bySimilarity, similar, row);
      }
    }
    return unknown;
  }

  /** True when a message may be the message of an unknown row. */
  resembles(message: MessageKey): boolean {
    return similaritiesOf(message).some((similar) => this.#bySimilarity.has(similar));
  }

  /** Decides which rows the candidates are, and which rows none of them can be. */
  explain(candidates: readonly Candidate[]): Findings {
    const matches = new Map<bigint, bigint[]>();
    const similarities = new Set<bigint>();
    for (const candidate of candidates) {
      const message = digestMessage(candidate);
      if (this.#byMessage.has(message)) add(matches, message, candidate.id);
      else for (const similar of similaritiesOf(candidate)) similarities.add(similar);
    }
    const undecided = new Set<number>();
    for (const similar of similarities) for (const row of this.#bySimilarity.get(similar) ?? []) undecided.add(row);
    const found: { row: number; id: bigint }[] = [];
    const notFound: number[] = [];
    for (const [message, rows] of this.#byMessage) {
      const ids = matches.get(message) ?? [];
      // A listed message has no date or mode that would tell which of these rows it is.
      if (ids.length > 0 && ids.length < rows.length && !this.#areEqual(rows)) continue;
      rows.forEach((row, index) => {
        const id = ids[index];
        if (id !== undefined) found.push({ row, id });
        else if (!undecided.has(row)) notFound.push(row);
      });
    }
    return { found, notFound: notFound.sort((a, b) => a - b) };
  }

  /** True when the rows are equal in all values that are sent. */
  #areEqual(rows: readonly number[]): boolean {
    const { digests } = this.#list.rows;
    return rows.every((row) => digests.row(row) === digests.row(rows[0] as number));
  }
}

function similaritiesOf({ sender, receptor, message }: MessageKey): readonly bigint[] {
  return [digestMessage({ sender, receptor }), digestMessage({ sender, message })];
}

function add<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
