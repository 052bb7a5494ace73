import { checkUnchanged } from '../rows/check-rows';
import { digestMessage, type MessageKey, messageReader } from '../rows/row-digests';
import { readRows } from '../rows/row-reader';
import type { Session } from '../session/session';

/** A message of the service that is neither that of a known row nor in the baseline. */
export interface Candidate extends MessageKey {
  readonly id: bigint;
  /** In the listing, counted from 0. */
  readonly position: number;
}

/** What the candidates say of the unknown rows. A row is in neither list if its message may or may not be among them. */
export interface Findings {
  readonly found: readonly { readonly row: number; readonly id: bigint }[];
  readonly notFound: readonly number[];
}

/** Unknown rows, and what their messages look like. */
export class UnknownRows {
  readonly #session: Session;
  /** By the digest of sender, receptor and text, in ascending order. */
  readonly #byMessage = new Map<bigint, number[]>();
  /** By digests of sender and receptor, and of sender and text: a service may write the other one in its own way. */
  readonly #bySimilarity = new Map<bigint, number[]>();

  private constructor(session: Session) {
    this.#session = session;
  }

  /** Reads the input once more, for it is not kept. @throws {InputError} when it has changed */
  static async read(session: Session): Promise<UnknownRows> {
    const { source, digests, options, ledger } = session;
    const unknown = new UnknownRows(session);
    const keyOf = messageReader(options.operation);
    let row = 0;
    for await (const chunk of readRows(source)) {
      for (const values of chunk) {
        row += 1;
        if (ledger.table.state(row) !== 'unknown') continue;
        const key = keyOf(checkUnchanged(values, row, digests));
        add(unknown.#byMessage, digests.message(row), row);
        for (const similar of similaritiesOf(key)) add(unknown.#bySimilarity, similar, row);
      }
    }
    return unknown;
  }

  /** Whether a message may be that of an unknown row. */
  resembles(message: MessageKey): boolean {
    return similaritiesOf(message).some((similar) => this.#bySimilarity.has(similar));
  }

  /** Says which rows the candidates are, and which rows none of them can be. */
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
      // A message has no date or mode by which to tell which of these rows it is.
      if (ids.length > 0 && ids.length < rows.length && !this.#areAlike(rows)) continue;
      rows.forEach((row, index) => {
        const id = ids[index];
        if (id !== undefined) found.push({ row, id });
        else if (!undecided.has(row)) notFound.push(row);
      });
    }
    return { found, notFound: notFound.sort((a, b) => a - b) };
  }

  /** Whether the rows are equal in all that is sent. */
  #areAlike(rows: readonly number[]): boolean {
    const { digests } = this.#session;
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
