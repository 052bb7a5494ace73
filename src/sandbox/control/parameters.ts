import { oneOf, showValue, wholeNumber } from '../../options/checks';
import { type OptionTable, type ResolvedOptions, readNamed, readOptions, refuseValue } from '../../options/table';
import { readInt, readMs } from '../fields';
import { requestResults } from '../store/request-log';

/** Reads the parameters of a query. @throws {WrongValue} for a wrong, an unknown or a repeated parameter */
export function readParameters<Table extends OptionTable>(query: string, table: Table): ResolvedOptions<Table> {
  const given = [...new URLSearchParams(query)];
  const [twice] = given.find(([name], index) => given.findIndex(([other]) => other === name) < index) ?? [];
  if (twice !== undefined) readNamed(twice, () => refuseValue('given twice'));
  return readOptions(table, Object.fromEntries(given), 'parameter');
}

/** A part of a text, in lower case. An empty part is in every text. */
const part = { read: (text: unknown) => String(text).toLowerCase(), default: '' };

/** The parameters that choose messages by what they are. All that are given must fit. */
export const filterParameters = {
  /** A part of the id, the sender, the receptor or the text; of requests, a part of the exchange or a field. */
  search: part,
  sender: part,
  receptor: part,
  message: part,
  /** The least and the greatest date, in seconds since 1970. */
  startUnixdate: { read: readDate },
  endUnixdate: { read: readDate },
};

/** What chooses messages. */
export type Filter = ResolvedOptions<typeof filterParameters>;

/** The other parameters of the lists. */
export const parameters = {
  /** The status that messages must have. An empty status finds every status. */
  status: { read: (text: unknown) => (text === '' ? undefined : numberOf(readInt)(text)) },
  line: { read: String },
  number: { read: String },
  /** The kind of the outcome of requests. An empty one finds every kind. */
  result: { read: (text: unknown) => (text === '' ? undefined : oneOf(requestResults)(text)) },
  /** The id of a call: that of its first message. */
  call: { read: readId },
  limit: { read: numberOf(wholeNumber(1, 999_999_999)), default: 100 },
  /** The id of the item after the last one of a page. */
  before: { read: readId },
  /** The time to wait for a message, in milliseconds. */
  wait: { read: numberOf(readMs), default: 0 },
};

function numberOf(check: (value: unknown) => number): (text: unknown) => number {
  return (text) =>
    /^-?\d{1,10}$/.test(String(text)) ? check(Number(text)) : refuseValue(`${showValue(text)} is not a whole number`);
}

function readDate(text: unknown): bigint {
  return /^-?\d{1,19}$/.test(String(text)) ? BigInt(String(text)) : refuseValue(`${showValue(text)} is not a unixdate`);
}

function readId(text: unknown): bigint {
  return /^\d{1,19}$/.test(String(text)) ? BigInt(String(text)) : refuseValue(`${showValue(text)} is not an id`);
}
