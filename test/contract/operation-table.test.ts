import { operations, records } from '../../generated/operations';
import type { OperationName } from '../../src';
import type { Element, Operation } from '../../src/soap/element';

/** The rows of the contract's operation table (section 4): request elements in order, and the content of the result. */
const TABLE: readonly (readonly [OperationName, request: string, result: string])[] = [
  ['SelectoutboxByApikey', 'apikey: string; startUnixdate: long; endUnixdate: long', 'repeated ApiSelect'],
  ['SelectByApikey', 'apikey: string; messageid: list of long', 'repeated ApiSelect'],
  ['SelectlatestByApikey', 'apikey: string; pagesize: int', 'repeated ApiSelect'],
  ['ReceiveByApikey', 'apikey: string; lineNumber: string; isread: short', 'repeated ApiReceive'],
  [
    'SendArrayByApikey',
    'apikey: string; sender: list of string; message: list of string; receptor: list of string; unixdate: long; ' +
      'msgmode: list of int',
    'list of long',
  ],
  [
    'SendSimpleByApikey',
    'apikey: string; sender: string; message: string; receptor: list of string; unixdate: long; msgmode: int',
    'list of long',
  ],
  [
    'SendAdvance',
    'apikey: string; sender: string; message: string; encoding: int; receptor: string; unixdate: long; ' +
      'messagemode: int; fallbackurl: string; clientmessageid: string',
    'long',
  ],
  ['GetStatusByApikey', 'apikey: string; messageid: list of long', 'list of int'],
  ['CancelByApikey', 'apikey: string; messageid: list of long', 'list of int'],
  ['RemainCreditByApiKey', 'apikey: string', 'long'],
];

/** Writes the type of an element in the contract's words. */
function typeOf(element: Element): string {
  if (element.kind === 'integer') return element.type;
  if (element.kind === 'record') return element.record;
  if (element.kind !== 'list') return element.kind === 'text' ? 'string' : element.kind;
  const item = element.item;
  if (item.kind === 'record') {
    expect(item.name).toBe(item.record);
    return `repeated ${item.record}`;
  }
  // The contract names each child after its type.
  expect(item.name).toBe(typeOf(item));
  return `list of ${typeOf(item)}`;
}

const written = (elements: readonly Element[]): string =>
  elements.map((element) => `${element.name}: ${typeOf(element)}`).join('; ');

test.each(TABLE)(
  'the generated table has the elements of %s as the contract lists them',
  (operation, request, result) => {
    const generated: Operation = operations[operation];
    expect(written(generated.request)).toBe(`${request}; status: int; statusmessage: string`);
    expect(written(generated.response)).toBe(`${operation}Result: ${result}; status: int; statusmessage: string`);
  },
);

test('the generated table has the records as the contract lists them', () => {
  const sent =
    'message: string; status: int; statustext: string; sender: string; receptor: string; date: long; cost: int';
  expect(written(records.ApiSelect)).toBe(`messageid: long; ${sent}`);
  const received = 'message: string; sender: string; receptor: string; date: long';
  expect(written(records.ApiReceive)).toBe(`messageid: long; ${received}`);
});
