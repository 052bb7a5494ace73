/** The messages that every client sends and reads. */
import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';

export const NAMESPACE = 'http://messaging.example/';
export const API_KEY = 'bench-key';
export const SMALL_MESSAGE = 'سلام دنیا';

export type SoapVersion = '1.1' | '1.2';
export const ENVELOPES: Readonly<Record<SoapVersion, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
};

/** The calls that every client can make: a message, many messages, and the list of the latest messages. */
export type Workload = 'sendSimple' | 'sendArray' | 'selectLatest';

/** 19 digits, far beyond 2^53: a client that reads an id as a double changes its last digits. */
const FIRST_ID = 4_611_686_018_427_387_905n;

export const RECORD_FIELDS = [
  'messageid',
  'message',
  'status',
  'statustext',
  'sender',
  'receptor',
  'date',
  'cost',
] as const satisfies readonly (keyof ApiSelect)[];

const STATUS_TEXTS = ['queued', 'scheduled', 'sent', 'delivered'];

export function idAt(index: number): bigint {
  return FIRST_ID + BigInt(index);
}

export function recordAt(index: number): ApiSelect {
  const message = messageAt(index);
  return {
    messageid: idAt(index),
    ...(message !== undefined && { message }),
    status: index % 4,
    statustext: STATUS_TEXTS[index % 4] as string,
    sender: `3000${index % 10}`,
    receptor: receptorAt(index),
    date: BigInt(1_700_000_000 + index),
    cost: 120 + (index % 3) * 120,
  };
}

/** Each 20 messages contain an absent text, an empty text, a text of two lines, and a text with characters that XML must escape. */
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

/** The text that sendArray sends at an index. No text is absent. */
export function textAt(index: number): string {
  return messageAt(index) || `پیام ${index}`;
}

/** The request of sendArray in the contract's names. */
export function arrayRequest(items: number) {
  const indexes = Array.from({ length: items }, (_, index) => index);
  return {
    sender: indexes.map(() => '3000'),
    message: indexes.map(textAt),
    receptor: indexes.map(receptorAt),
    msgmode: indexes.map(() => 1),
  };
}

/** The options of a client to which the server responds with one id, whatever is sent. */
export function optionsOfOneId(url: string) {
  return {
    baseUrl: new URL(url).origin,
    namespace: NAMESPACE,
    apiKey: API_KEY,
    successStatuses: [200],
    // The server responds with this number of ids.
    defaults: { status: 1 },
  };
}
