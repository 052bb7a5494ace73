import { operations } from '../../generated/operations';
import type { OperationName, SoapVersion } from '../../src';
import type { MessagingRequest } from '../../src/types';
import { VERSIONS } from './envelopes';

export const OPERATIONS = Object.keys(operations) as OperationName[];
/** Each operation with each version, for `test.each`. */
export const EVERY_CALL: readonly [OperationName, SoapVersion][] = OPERATIONS.flatMap((operation) =>
  VERSIONS.map((version): [OperationName, SoapVersion] => [operation, version]),
);

/** The requests of the fixtures in test/fixtures/requests, complete, as a caller gives them. */
export const SAMPLES: { readonly [O in OperationName]: MessagingRequest<O> } = {
  SelectoutboxByApikey: { startUnixdate: -9223372036854775808n, endUnixdate: 9223372036854775807n },
  SelectByApikey: { messageid: [9007199254740993n, -1, 0n] },
  SelectlatestByApikey: { pagesize: 2147483647 },
  ReceiveByApikey: { lineNumber: '3000 & 3001', isread: -32768 },
  SendArrayByApikey: {
    sender: ['3000', '3001'],
    message: ['یک', 'دو & <two>'],
    receptor: ['09120000003', '09120000004'],
    unixdate: 9007199254740993n,
    msgmode: [0, -2147483648],
  },
  SendSimpleByApikey: {
    sender: '3000',
    message: 'سلام می\u200cخواهم 😀 <b>&',
    receptor: ['09120000001', '09120000002'],
    unixdate: 1700000000,
    msgmode: 1,
  },
  SendAdvance: {
    sender: '3000',
    message: '  متن پیشرفته  ',
    encoding: 2,
    receptor: '09120000005',
    unixdate: 4102444800n,
    messagemode: 1,
    fallbackurl: 'http://x.example/?a=1&b=2',
    clientmessageid: 'c-1',
  },
  GetStatusByApikey: { messageid: [9007199254740993n, 9223372036854775807n] },
  CancelByApikey: { messageid: [9007199254740993n] },
  RemainCreditByApiKey: {},
};

/** A field that a caller fills, with its type and whether it is a list. */
export interface CallerField {
  readonly operation: OperationName;
  readonly name: string;
  readonly type: 'string' | 'long' | 'int' | 'short';
  readonly list: boolean;
}

/** The rows of the contract's operation table (section 4): the request elements, in order. */
const CONTRACT_TABLE: Readonly<Record<OperationName, string>> = {
  SelectoutboxByApikey: 'apikey: string; startUnixdate: long; endUnixdate: long',
  SelectByApikey: 'apikey: string; messageid: list of long',
  SelectlatestByApikey: 'apikey: string; pagesize: int',
  ReceiveByApikey: 'apikey: string; lineNumber: string; isread: short',
  SendArrayByApikey:
    'apikey: string; sender: list of string; message: list of string; receptor: list of string; unixdate: long; ' +
    'msgmode: list of int',
  SendSimpleByApikey:
    'apikey: string; sender: string; message: string; receptor: list of string; unixdate: long; msgmode: int',
  SendAdvance:
    'apikey: string; sender: string; message: string; encoding: int; receptor: string; unixdate: long; ' +
    'messagemode: int; fallbackurl: string; clientmessageid: string',
  GetStatusByApikey: 'apikey: string; messageid: list of long',
  CancelByApikey: 'apikey: string; messageid: list of long',
  RemainCreditByApiKey: 'apikey: string',
};

/** The request elements of an operation as the contract lists them, apikey, status and statusmessage included. */
export function contractFields(operation: OperationName): CallerField[] {
  return `${CONTRACT_TABLE[operation]}; status: int; statusmessage: string`.split('; ').map((entry) => {
    const [name = '', type = ''] = entry.split(': ');
    return {
      operation,
      name,
      type: type.replace('list of ', '') as CallerField['type'],
      list: type.startsWith('list of '),
    };
  });
}

/** Every field of every operation that a caller may fill. */
export const CALLER_FIELDS: readonly CallerField[] = OPERATIONS.flatMap(contractFields).filter(
  ({ name }) => name !== 'apikey',
);

/** A request of the operation in which one field holds a value; in a list, between two others. */
export function requestWith({ operation, name, list, type }: CallerField, value: unknown): object {
  const other = type === 'string' ? 'other' : 1;
  return { ...SAMPLES[operation], [name]: list ? [other, value, other] : value };
}
