/** The messages that every candidate sends and reads, and the text in which their readings are compared. */

export const NAMESPACE = 'http://messaging.example/';
export const API_KEY = 'bench-key';

/** 19 digits, far beyond 2^53: a reader that goes through a double loses some. */
const FIRST_ID = 4_611_686_018_427_387_905n;

export interface BenchRecord {
  readonly messageid: bigint;
  /** Undefined is an absent element, '' an empty one. */
  readonly message: string | undefined;
  readonly status: number;
  readonly statustext: string;
  readonly sender: string;
  readonly receptor: string;
  readonly date: bigint;
  readonly cost: number;
}

export const RECORD_FIELDS = [
  'messageid',
  'message',
  'status',
  'statustext',
  'sender',
  'receptor',
  'date',
  'cost',
] as const satisfies readonly (keyof BenchRecord)[];

const STATUS_TEXTS = ['queued', 'scheduled', 'sent', 'delivered'];

export function idAt(index: number): bigint {
  return FIRST_ID + BigInt(index);
}

/** Of 20 messages one is absent, one empty, one has two lines, and one holds what XML must escape. */
export function recordAt(index: number): BenchRecord {
  return {
    messageid: idAt(index),
    message: messageAt(index),
    status: index % 4,
    statustext: STATUS_TEXTS[index % 4] as string,
    sender: `3000${index % 10}`,
    receptor: receptorAt(index),
    date: BigInt(1_700_000_000 + index),
    cost: 120 + (index % 3) * 120,
  };
}

function messageAt(index: number): string | undefined {
  switch (index % 20) {
    case 7:
      return undefined;
    case 11:
      return '';
    case 13:
      return `کد ورود شما ${index}\nاین کد را به کسی ندهید`;
    case 17:
      return `<b>تخفیف</b> & ارسال رایگان برای سفارش ${index}`;
    default:
      return `مشترک گرامی، بسته شماره ${index} به نشانی شما ارسال شد. سپاس از خرید شما`;
  }
}

export function receptorAt(index: number): string {
  return `0912${String(index).padStart(7, '0')}`;
}

/** What SendArray sends at an index; none is absent. */
export function textAt(index: number): string {
  return messageAt(index) || `پیام ${index}`;
}

export function statusAt(index: number): number {
  return index % 15;
}

export const SMALL_MESSAGE = 'سلام دنیا';

export type Workload = 'sendSimple' | 'sendArray' | 'latest' | 'getStatus';

/** What a call of the workload must give. */
export function expectedAt(workload: Workload, index: number): unknown {
  switch (workload) {
    case 'latest':
      return recordAt(index);
    case 'getStatus':
      return statusAt(index);
    default:
      return idAt(index);
  }
}

export const ITEM_END = '\x1e';
const FIELD_END = '\x1f';

/**
 * A value as the text in which it is compared. An absent string and an empty one count as the same here, since several
 * candidates give null for both: it is a wrong id or text that disqualifies.
 */
export function comparable(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const record = value as Record<string, unknown>;
  return RECORD_FIELDS.map((name) => String(record[name] ?? '')).join(FIELD_END);
}

/** The fields in which a record's comparable text differs from the expected one; nothing but a number is an `item`. */
export function differingFields(found: string, expected: string): string[] {
  const [left, right] = [found.split(FIELD_END), expected.split(FIELD_END)];
  if (right.length === 1 || left.length !== right.length) return ['item'];
  return RECORD_FIELDS.flatMap((name, index) => {
    const [from, to] = [left[index] ?? '', right[index] ?? ''];
    if (from === to) return [];
    return [from.replaceAll('\r\n', '\n') === to ? `line ends of ${name}` : name];
  });
}
