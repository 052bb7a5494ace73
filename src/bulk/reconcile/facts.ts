import type { Signal } from '../../internal/signals';
import { receptorLikeness, textLikeness } from '../../messages/person';
import { lookElsewhere } from '../list/before';
import { otherListsOf } from '../list/begin';
import type { List } from '../list/list';
import { digestLikeness, digestMessage } from '../rows/digests';
import { KIND_FIELDS } from '../rows/fields';

/** The values of a row by which a service may cut its listings. Rows with equal values share the object. */
export interface Kind {
  readonly sender: string | null;
  /** The date, the mode and the encoding, as far as the operation has them. */
  readonly others: string;
  /** True for a date of its own, false for a message that is sent at once. */
  readonly isScheduled: boolean;
}

/** A row whose message is looked for in a listing. */
export interface SoughtRow {
  readonly row: number;
  /** True for an unknown row. False for a row that an operator called sent without an id. */
  readonly isUnknown: boolean;
  /** True when Redis has lost the claim of the worker that may have sent it. */
  readonly isLost: boolean;
  /** The digest of sender, receptor and text. */
  readonly content: bigint;
  /** The digest of what indistinguishable rows have in common. */
  readonly likeness: bigint;
  /** The last digits of the receptor. */
  readonly receptor: string;
  /** The text without blanks. */
  readonly text: string;
  readonly kind: Kind;
  /** The position in the journal of the first intent to send the row. */
  readonly firstIntent: number;
}

/** The knowledge of the journal and of the input about the rows. */
export type Facts = Awaited<ReturnType<typeof readFacts>>;

/** Reads the input once more, because it is not kept, and the other lists. @throws {InputError} when it has changed */
export async function readFacts(list: List, signal?: Signal) {
  const { plan, rows, state } = list;
  const { table, baseline } = state;
  const account = state.accounts.at(-1)?.mark;
  // Ids of another account say nothing here.
  const isOwnBaseline = state.baselineMark === account;
  const names = rows.fields.map(({ name }) => name);
  const date = names.indexOf('unixdate');
  const others = KIND_FIELDS.map((name) => names.indexOf(name)).filter((index) => index >= 0);
  const knownKinds = new Map<string, Kind>();
  // By row, counted from 1, of each sent or unknown row.
  const kinds: Kind[] = [];
  const [contents, likenesses] = [new BigUint64Array(table.total + 1), new BigUint64Array(table.total + 1)];
  const sought: SoughtRow[] = [];
  for await (const chunk of rows.read()) {
    for (const read of chunk) {
      const { row } = read;
      const isUnknown = table.state(row) === 'unknown';
      if (!isUnknown && table.state(row) !== 'sent') continue;
      const values = rows.valuesOf(read);
      const { sender = null, receptor, message } = rows.messageOf(values);
      const isScheduled = String(values[date]) !== '0';
      const given: Kind = { sender, others: others.map((index) => String(values[index])).join(), isScheduled };
      const kind = knownKinds.get(JSON.stringify(given)) ?? given;
      knownKinds.set(JSON.stringify(given), kind);
      const [content, likeness] = [digestMessage({ sender, receptor, message }), digestLikeness({ receptor, message })];
      [kinds[row], contents[row], likenesses[row]] = [kind, content, likeness];
      if (!isUnknown && table.id(row) !== 0n) continue;
      sought.push({
        row,
        isUnknown,
        isLost: table.isLost(row),
        content,
        likeness,
        kind,
        firstIntent: table.firstIntent(row),
        receptor: receptorLikeness(receptor),
        text: textLikeness(message),
      });
    }
  }
  const soughtRows = sought.map(({ row }) => row);
  const likenessOf = (row: number) => likenesses[row] as bigint;
  const elsewhere = await lookElsewhere(soughtRows, likenessOf, otherListsOf(list), signal);
  return {
    rows: sought,
    table,
    idsInOrder: plan.idsInOrder,
    account,
    accountsOf: (row: number) => state.accountsOf(row),
    contents,
    likenesses,
    kinds,
    /** The messages that earlier lists of the file have sent. */
    earlier: new Set(state.known()),
    /** The messages that other lists have sent, at a time that this journal does not know. */
    elsewhere: new Set([...state.elsewhere, ...elsewhere.ids]),
    /** The rows with messages that other lists may have sent just now. */
    awaited: elsewhere.awaited,
    /** The messages that the service listed before the first row was sent; undefined when none was asked for. */
    baseline:
      baseline?.pagesize && isOwnBaseline
        ? { ids: new Set(baseline.ids.map(BigInt)), isFull: baseline.ids.length >= baseline.pagesize }
        : undefined,
  };
}
