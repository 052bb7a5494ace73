import fc from 'fast-check';
import type { MessagingClient } from '../../../src';
import { clientOf, invoke, respondWithSuccess } from '../../support/client';
import { CALLER_FIELDS, type CallerField, requestWith } from '../../support/contract';
import { VERSIONS } from '../../support/envelopes';
import { loopSize } from '../../support/loops';
import { failureOf } from '../../support/outcomes';
import { type RawServer, serve } from '../../support/raw-server';
import { payloadOf } from '../../support/xml';

/** The ranges of XML Schema part 2, sections 3.3.16 to 3.3.18. */
const RANGES = {
  short: { min: -(2n ** 15n), max: 2n ** 15n - 1n },
  int: { min: -(2n ** 31n), max: 2n ** 31n - 1n },
  long: { min: -(2n ** 63n), max: 2n ** 63n - 1n },
} as const;

interface NumberField extends CallerField {
  readonly type: keyof typeof RANGES;
}
const NUMBERS = CALLER_FIELDS.filter((field): field is NumberField => field.type !== 'string');
/** The first of each type, alone and in a list. */
const SOME_NUMBERS = NUMBERS.filter(
  (field, index) => NUMBERS.findIndex(({ type, list }) => type === field.type && list === field.list) === index,
);

let server: RawServer;
let clients: readonly MessagingClient[];
beforeAll(async () => {
  server = await serve(respondWithSuccess);
  clients = VERSIONS.map((soapVersion) => clientOf(server, { soapVersion }));
});

async function textSent(client: MessagingClient, field: CallerField, value: unknown): Promise<string | undefined> {
  await invoke(client, field.operation, requestWith(field, value));
  const element = payloadOf(server.requests.at(-1)?.body ?? '').children.find(({ local }) => local === field.name);
  return field.list ? element?.children[1]?.text : element?.text;
}

/** The error with which a value is refused; fails when anything reaches the service. */
async function refusal(field: CallerField, value: unknown): Promise<unknown> {
  const before = server.requests.length;
  const error = await failureOf(invoke(clients[0] as MessagingClient, field.operation, requestWith(field, value)));
  expect(server.requests).toHaveLength(before);
  return error;
}

describe.each(SOME_NUMBERS)('$name of $operation ($type)', (field) => {
  const { min, max } = RANGES[field.type];
  const place = field.list ? `${field.name}[1]` : field.name;

  test(`${place} of ${field.operation} is sent in digits at both ends of its range`, async () => {
    for (const client of clients) {
      for (const value of [min, min + 1n, -1n, 0n, 1n, max - 1n, max]) {
        expect(await textSent(client, field, value)).toBe(value.toString());
      }
    }
  });

  test(`${place} of ${field.operation} may be a safe integer`, async () => {
    const client = clients[0] as MessagingClient;
    const safe = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 1e15, 255, 0];
    for (const value of safe.filter((value) => value >= min && value <= max)) {
      expect(await textSent(client, field, value)).toBe(BigInt(value).toString());
    }
    expect(await textSent(client, field, -0)).toBe('0');
  });

  test.each([min - 1n, max + 1n, 2n ** 64n, -(10n ** 30n)])(
    `${place} of ${field.operation} refuses %s and names the range`,
    async (value) => {
      expect(await refusal(field, value)).toMatchObject({
        name: 'RequestError',
        outcome: 'not-sent',
        field: place,
        message: `${field.operation}: ${place}: ${value} is not within xsd:${field.type} (${min} to ${max})`,
      });
    },
  );

  test.each([0.5, -1.0000001, Number.NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 53), 1e300, 5e-324])(
    `${place} of ${field.operation} refuses the number %s`,
    async (value) => {
      expect(await refusal(field, value)).toMatchObject({
        name: 'RequestError',
        outcome: 'not-sent',
        field: place,
        message: expect.stringMatching(/is not a safe integer|is not within xsd:/),
      });
    },
  );

  test.each([
    ['a numeric string', '1'],
    ['an empty string', ''],
    ['true', true],
    ['a Number object', Object(1)],
    ['a BigInt object', Object(1n)],
    ['{ valueOf }', { valueOf: () => 1 }],
    ['{ $xml }', { $xml: '1' }],
    ['a date', new Date(0)],
    ['an array', [1]],
    ['a symbol', Symbol('1')],
  ])(`${place} of ${field.operation} refuses %s`, async (_title, value) => {
    expect(await refusal(field, value)).toMatchObject({
      name: 'RequestError',
      outcome: 'not-sent',
      field: place,
      message: expect.stringContaining(`${place}: an xsd:${field.type} (bigint or safe integer) is needed, not `),
    });
  });
});

test('any bigint is sent exactly, or refused when it is outside the range of its type', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...NUMBERS),
    fc.oneof(
      fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }),
      fc.bigInt({ min: -(2n ** 33n), max: 2n ** 33n }),
      fc.bigInt({ min: -70_000n, max: 70_000n }),
    ),
    async (field, value) => {
      const { min, max } = RANGES[field.type];
      if (value >= min && value <= max) {
        expect(await textSent(clients[1] as MessagingClient, field, value)).toBe(value.toString());
      } else {
        expect(await refusal(field, value)).toMatchObject({ message: expect.stringContaining(`(${min} to ${max})`) });
      }
    },
  );
  await fc.assert(property, { numRuns: loopSize(5000) });
});

test('any double is sent exactly or refused', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...NUMBERS),
    fc.oneof(fc.double(), fc.maxSafeInteger(), fc.integer()),
    async (field, value) => {
      const { min, max } = RANGES[field.type];
      if (Number.isSafeInteger(value) && BigInt(value) >= min && BigInt(value) <= max) {
        expect(await textSent(clients[1] as MessagingClient, field, value)).toBe(BigInt(value).toString());
      } else {
        expect(await refusal(field, value)).toMatchObject({ name: 'RequestError' });
      }
    },
  );
  await fc.assert(property, { numRuns: loopSize(5000) });
});
