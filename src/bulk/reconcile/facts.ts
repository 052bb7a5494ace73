import { digestLikeness, digestMessage, messageReader } from '../rows/digests';
import { bulkFields } from '../rows/fields';
import { receptorLikeness, textLikeness } from '../rows/likeness';
import type { RowValues } from '../rows/reader';
import type { OpenList } from '../state/bulk-journal';
import type { RowStates } from '../state/row-table';

/** The values of a row by which a service may cut its listings. Rows with equal values share the object. */
export interface Kind {
  readonly sender: string | null;
  readonly unixdate: string;
  readonly mode: string;
  /** True for a date of its own, false for a message that is sent at once. */
  readonly isScheduled: boolean;
}

/** A row whose message is looked for in a listing. */
export interface SoughtRow {
  readonly row: number;
  /** True for an unknown row. False for a row that an operator called sent without an id. */
  readonly isUnknown: boolean;
  /** The digest of sender, receptor and text. */
  readonly content: bigint;
  /** The digest of what indistinguishable rows have in common. */
  readonly likeness: bigint;
  /** The last digits of the receptor. */
  readonly receptor: string;
  /** The text without blanks. */
  readonly text: string;
  /** The length of the text. */
  readonly length: number;
  readonly kind: Kind;
  /** The position in the journal of the first intent to send the row. */
  readonly firstIntent: number;
}

/** The knowledge of the journal and of the input about the rows. Rows are counted from 1. */
export interface Facts {
  readonly rows: readonly SoughtRow[];
  /** The messages that the service listed before the first row was sent; undefined when none was asked for. */
  readonly baseline:
    | { readonly ids: ReadonlySet<bigint>; readonly isPage: boolean; readonly isFull: boolean }
    | undefined;
  readonly table: RowStates;
  readonly idsInOrder: boolean;
  /** The digest of a row's sender, receptor and text. */
  content(row: number): bigint;
  /** The digest of what indistinguishable rows have in common. */
  likeness(row: number): bigint;
  /** The kind of a sent row. */
  kind(row: number): Kind;
}

/** Reads the input once more, because it is not kept. @throws {InputError} when it has changed */
export async function readFacts({ plan, rows, journal }: OpenList): Promise<Facts> {
  const { table, baseline } = journal.state;
  const messageOf = messageReader(plan.operation);
  const names = bulkFields(plan.operation).map(({ name }) => name);
  const [date, mode] = [names.indexOf('unixdate'), names.indexOf('msgmode')];
  const kinds: Kind[] = [];
  const [contents, likenesses] = [new BigUint64Array(table.total + 1), new BigUint64Array(table.total + 1)];
  const kindsByText = new Map<string, Kind>();
  const kindOf = (values: RowValues): Kind => {
    const { sender = null } = messageOf(values);
    const unixdate = String(values[date]);
    const kind: Kind = { sender, unixdate, mode: String(values[mode]), isScheduled: unixdate !== '0' };
    const text = JSON.stringify(kind);
    const known = kindsByText.get(text) ?? kind;
    kindsByText.set(text, known);
    return known;
  };
  const open: SoughtRow[] = [];
  for await (const chunk of rows.read()) {
    for (const read of chunk) {
      const { row } = read;
      const state = table.state(row);
      if (state !== 'sent' && state !== 'unknown') continue;
      const checked = rows.valuesOf(read);
      const kind = kindOf(checked);
      kinds[row] = kind;
      const message = messageOf(checked);
      const [content, likeness] = [digestMessage(message), digestLikeness(message)];
      contents[row] = content;
      likenesses[row] = likeness;
      const isUnknown = state === 'unknown';
      if (!isUnknown && (state !== 'sent' || table.id(row) !== 0n)) continue;
      open.push({
        row,
        isUnknown,
        content,
        likeness,
        receptor: receptorLikeness(message.receptor),
        text: textLikeness(message.message),
        length: message.message?.length ?? 0,
        kind,
        firstIntent: table.firstIntent(row),
      });
    }
  }
  return {
    rows: open,
    baseline: baseline && {
      ids: new Set(baseline.ids.map(BigInt)),
      isPage: baseline.listing.pagesize !== undefined,
      isFull: baseline.listing.pagesize === undefined || baseline.ids.length >= Number(baseline.listing.pagesize),
    },
    table,
    idsInOrder: plan.idsInOrder,
    content: (of) => contents[of] as bigint,
    likeness: (of) => likenesses[of] as bigint,
    kind: (of) => kinds[of] as Kind,
  };
}
