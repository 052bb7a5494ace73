/** The requests that all clients send, and the results that they must read. */
import { isDeepStrictEqual } from 'node:util';
import type { ApiSelect } from '../../generated/v1/definitions/ApiSelect';

export const NAMESPACE = 'http://messaging.example/';
export const API_KEY = 'bench-key';
export const PATH = '/soap/v1.asmx';

/** The operations that are measured; `status` of a request says how many items the server puts into the response. */
export type Operation = 'SendSimpleByApikey' | 'SendArrayByApikey' | 'SelectlatestByApikey';

/** Returns an id of 19 digits. A client that reads it as a double changes its last digits. */
export const idAt = (index: number): bigint => 4_611_686_018_427_387_905n + BigInt(index);

const receptorAt = (index: number): string => `0912${String(index).padStart(7, '0')}`;

/** Each 20 texts contain an absent text, an empty text, a text of two lines, and a text with characters to escape. */
function textAt(index: number): string | undefined {
  if (index % 20 === 7) return undefined;
  if (index % 20 === 11) return '';
  if (index % 20 === 13) return `کد ورود شما ${index}\nاین کد را به کسی ندهید`;
  if (index % 20 === 17) return `<b>تخفیف</b> & ارسال رایگان برای سفارش ${index}`;
  return `مشترک گرامی، بسته شماره ${index} به نشانی شما ارسال شد. سپاس از خرید شما`;
}

/** Returns the fields of a request in the order of the contract. */
export function requestOf(operation: Operation, items: number): Record<string, string | number | string[] | number[]> {
  const list = <T>(at: (index: number) => T): T[] => Array.from({ length: items }, (_, index) => at(index));
  const sent = { unixdate: 0, msgmode: 1, status: items };
  if (operation === 'SelectlatestByApikey') return { pagesize: items, status: items };
  if (operation === 'SendSimpleByApikey')
    return { sender: '3000', message: 'سلام دنیا', receptor: [receptorAt(0)], ...sent };
  const message = list((index) => textAt(index) || `پیام ${index}`);
  return { sender: list(() => '3000'), message, receptor: list(receptorAt), ...sent, msgmode: list(() => 1) };
}

export function recordAt(index: number): ApiSelect {
  const message = textAt(index);
  return {
    messageid: idAt(index),
    ...(message !== undefined && { message }),
    status: index % 4,
    statustext: ['queued', 'scheduled', 'sent', 'delivered'][index % 4] as string,
    sender: `3000${index % 10}`,
    receptor: receptorAt(index),
    date: BigInt(1_700_000_000 + index),
    cost: 120 + (index % 3) * 120,
  };
}

/** True when a client read every digit and every character of the server's response. */
export function isRight(operation: Operation, items: number, result: unknown): boolean {
  const expected = operation === 'SelectlatestByApikey' ? recordAt : idAt;
  return (
    Array.isArray(result) &&
    result.length === items &&
    result.every((item, at) => isDeepStrictEqual(item, expected(at)))
  );
}
