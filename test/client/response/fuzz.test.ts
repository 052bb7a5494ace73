import { inspect } from 'node:util';
import type { OperationName } from '../../../src';
import { ResponseError } from '../../../src';
import { createMasker } from '../../../src/internal/mask';
import { resultOf } from '../../support/client';
import { OPERATIONS } from '../../support/contract';
import { cpuTime, usedHeap } from '../../support/cost';
import { ENVELOPE_NAMESPACES, NAMESPACE, responseEnvelope } from '../../support/envelopes';
import { responseFixture } from '../../support/fixtures';
import { FUZZ_RUNS } from '../../support/loops';
import { Random } from '../../support/random';
import { readResponse, typeErrors } from '../../support/reading';

const SEED = 20_261_120;
/** Of CPU time: far more than any of these bodies needs, far less than what grows with the square of its size. */
const LIMIT_MS = 20_000;
const CANARY = 'canary-0123456789';

interface Seed {
  readonly operation: OperationName;
  readonly body: Buffer;
}

const FIXTURES: readonly [string, OperationName][] = [
  ['SelectByApikey.11', 'SelectByApikey'],
  ['ReceiveByApikey.12', 'ReceiveByApikey'],
  ['SendSimpleByApikey.11', 'SendSimpleByApikey'],
  ['GetStatusByApikey.12', 'GetStatusByApikey'],
  ['RemainCreditByApiKey.11', 'RemainCreditByApiKey'],
  ['SendAdvance.12', 'SendAdvance'],
  ['result-empty-longs.12', 'SendSimpleByApikey'],
  ['result-null-longs.11', 'SendSimpleByApikey'],
  ['result-null-record-null-fields-extremes.11', 'SelectByApikey'],
  ['result-control-characters.11', 'SelectByApikey'],
  ['throw.11', 'SelectByApikey'],
  ['throw-soapexception.12', 'SelectByApikey'],
];

const STATUS = `<status>200</status><statusmessage>${CANARY}</statusmessage>`;
const RECORDS =
  '<SelectlatestByApikeyResult><m:ApiSelect xmlns:m="http://messaging.example/"><m:messageid> 7 </m:messageid>' +
  '<m:message><![CDATA[a]]>&#x41;<!-- c --></m:message><m:status>1</m:status><m:date>2</m:date><m:cost>3</m:cost>' +
  '</m:ApiSelect></SelectlatestByApikeyResult>';

/** Responses of a real service, a good response for each operation, and spellings that only the SAX reader knows. */
const SEEDS: readonly Seed[] = [
  ...FIXTURES.map(([name, operation]) => ({ operation, body: responseFixture(name).body })),
  ...OPERATIONS.map((operation) => ({
    operation,
    body: Buffer.from(
      responseEnvelope(operation, `<${operation}Result>${resultOf(operation)}</${operation}Result>${STATUS}`),
    ),
  })),
  {
    operation: 'SelectlatestByApikey',
    body: Buffer.from(responseEnvelope('SelectlatestByApikey', RECORDS + STATUS, '1.2')),
  },
  {
    operation: 'SelectlatestByApikey',
    body: Buffer.from(`\ufeff${responseEnvelope('SelectlatestByApikey', RECORDS + STATUS)}`, 'utf16le'),
  },
];

/** What a hostile or broken server may put anywhere. */
const TOKENS = [
  'y',
  'x',
  '0',
  '-',
  '+',
  ' ',
  '\r',
  '\r\n',
  '\t',
  '<',
  '>',
  '&',
  ';',
  '"',
  "'",
  '/',
  '=',
  ':',
  '!',
  '?',
  ']]>',
  '<![CDATA[',
  '<!--',
  '-->',
  '<?',
  '?>',
  '<!DOCTYPE a [<!ENTITY b "c">]>',
  '&b;',
  '&amp;',
  '&#x0;',
  '&#x1;',
  '&#xD800;',
  '&#xFFFE;',
  '&#1114112;',
  '&#x41',
  '&constructor;',
  '\u0000',
  '\u0001',
  '\u001f',
  '\ufffe',
  '\uffff',
  '\u0085',
  '\u2028',
  '\ufeff',
  '<a>',
  '</a>',
  '<a/>',
  ' xsi:nil="true"',
  ' href="#id1"',
  ' xmlns=""',
  ' xmlns="urn:x"',
  ` xmlns="${NAMESPACE}"`,
  ` xmlns:soap="${ENVELOPE_NAMESPACES['1.2']}"`,
  '<status>1</status>',
  '<status/>',
  '<long>1</long>',
  '<ApiSelect>',
  '</ApiSelect>',
  '<ApiReceive>y</ApiReceive>',
  '<messageid>y</messageid>',
  '<soap:Fault>',
  '</soap:Fault>',
  '<soap:Body>',
  '99999999999999999999',
  '9223372036854775808',
  '1e9',
  CANARY,
  `<${CANARY}>`,
  '<a>'.repeat(120),
  '0'.repeat(3000),
  'سلام😀',
].map((token) => Buffer.from(token));

function mutate(random: Random, body: Buffer): Buffer {
  let bytes = body;
  for (let count = random.below(3) === 0 ? 3 : 1; count > 0; count--) bytes = mutateOnce(random, bytes);
  return bytes;
}

function mutateOnce(random: Random, bytes: Buffer): Buffer {
  const start = random.below(bytes.length + 1);
  const end = Math.min(start + 1 + random.below(random.below(4) === 0 ? bytes.length + 1 : 12), bytes.length);
  const before = bytes.subarray(0, start);
  const after = bytes.subarray(end);
  switch (random.below(9)) {
    case 0: {
      const flipped = Buffer.from(bytes);
      if (start < bytes.length) flipped[start] = (flipped[start] as number) ^ (1 << random.below(8));
      return flipped;
    }
    case 1:
      return Buffer.concat([before, Buffer.from([random.below(256)]), after]);
    case 2:
      return random.below(8) === 0 ? before : Buffer.concat([before, after]);
    case 3:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
    case 4: {
      const other = random.pick(SEEDS).body;
      const from = random.below(other.length);
      return Buffer.concat([before, other.subarray(from, from + 1 + random.below(200)), after]);
    }
    case 5:
      return Buffer.concat([before, random.pick(TOKENS), bytes.subarray(random.below(2) === 0 ? start : end)]);
    default:
      return mutateElement(random, bytes, start);
  }
}

/**
 * Changes an element as a whole, which leaves the rest well-formed: its content or all of it becomes something else.
 */
function mutateElement(random: Random, bytes: Buffer, near: number): Buffer {
  const text = bytes.toString('latin1');
  const [whole, open = '', content = '', close = ''] = /(<[\w:]+>)([^<]*)(<\/[\w:]+>)/.exec(text.slice(near)) ?? [];
  if (whole === undefined) return bytes;
  const start = near + text.slice(near).indexOf(whole);
  const token = random.pick(TOKENS).toString('latin1');
  const replacements = [
    '',
    token,
    whole + whole,
    `${open}${token}${close}`,
    `${open}${content}${token}${close}`,
    `${open}${token}${content}${close}`,
    `${open.replace('>', ' />')}`,
    `${open.replace('>', ' xsi:nil="true">')}${close}`,
    `${token}${whole}`,
    `${whole}${token}`,
  ];
  return Buffer.from(text.slice(0, start) + random.pick(replacements) + text.slice(start + whole.length), 'latin1');
}

function chunkEnds(random: Random, length: number): number[] {
  switch (random.below(4)) {
    case 0:
      return [random.below(length + 1)];
    case 1:
      return Array.from({ length: random.below(6) }, () => random.below(length + 1)).sort((a, b) => a - b);
    case 2: {
      // One byte at a time for a stretch, which is where a character or a tag is cut.
      const start = random.below(length + 1);
      return Array.from({ length: Math.min(60, length - start) }, (_, index) => start + index);
    }
    default:
      return [];
  }
}

const CHARSETS = [
  undefined,
  undefined,
  undefined,
  'utf-8',
  'utf-16',
  'utf-16le',
  'windows-1256',
  'iso-8859-1',
  'x-none',
];

test(`${FUZZ_RUNS} mutated responses give a typed response or a ReadError, in time, and show no API key`, () => {
  const random = new Random(SEED);
  const context = { operation: 'fuzz', ...createMasker(CANARY) };
  const counts = { responses: 0, errors: 0 };
  let heapBefore = 0;
  for (let run = 0; run < FUZZ_RUNS; run++) {
    if (run === FUZZ_RUNS >> 2) heapBefore = usedHeap();
    const { operation, body } = random.pick(SEEDS);
    const bytes = mutate(random, body);
    const charset = random.below(10) === 0 ? random.pick(CHARSETS) : undefined;
    const options = { cuts: chunkEnds(random, bytes.length), ...(charset === undefined ? {} : { charset }) };
    let problems: string[] = [];
    try {
      const read = readResponse(operation, bytes, options);
      if ('error' in read) {
        counts.errors++;
        const shown = inspect(new ResponseError({ ...context, message: read.error, body: bytes.toString() }), {
          depth: null,
        });
        if (shown.includes(CANARY)) problems = ['the API key is shown'];
      } else {
        counts.responses++;
        if ('response' in read) problems = typeErrors(operation, read.response);
        else {
          const { code, reason, detail } = read.fault;
          if ([code, reason, detail].some((part) => typeof part !== 'string')) problems = ['no fault'];
        }
      }
    } catch (error) {
      problems = [`it threw ${String(error)}`];
    }
    // Only a failure is worth the cost of an expectation.
    if (problems.length > 0) expect({ run, operation, options, body: bytes.toString('latin1'), problems }).toBeNull();
  }
  expect(usedHeap() - heapBefore).toBeLessThan(2 ** 25);
  // Mutations that break every response, or none, would test nothing.
  expect(counts.responses).toBeGreaterThan(FUZZ_RUNS / 20);
  expect(counts.errors).toBeGreaterThan(FUZZ_RUNS / 20);
});

test.each<[string, (size: number) => string]>([
  ['nested elements', (size) => '<a>'.repeat(size)],
  ['attributes', (size) => `<a ${Array.from({ length: size }, (_, index) => `a${index}="1"`).join(' ')}/>`],
  ['declarations', (size) => `<a ${Array.from({ length: size }, (_, index) => `xmlns:a${index}="u"`).join(' ')}/>`],
  ['references', (size) => `<statusmessage>${'&#65;'.repeat(size)}</statusmessage>`],
  ['ampersands', (size) => `<statusmessage>${'&'.repeat(size)}</statusmessage>`],
  ['unclosed comments', (size) => '<!-- '.repeat(size)],
  ['unclosed CDATA', (size) => '<![CDATA['.repeat(size)],
  ['CDATA sections', (size) => `<statusmessage>${'<![CDATA[a]]>'.repeat(size)}</statusmessage>`],
  ['digits', (size) => `<status>${'9'.repeat(size * 5)}</status>`],
  ['blanks around a number', (size) => `<status>${' '.repeat(size * 5)}x</status>`],
  ['a long name', (size) => `<${'a'.repeat(size * 5)}/>`],
  ['an internal subset', (size) => `<!DOCTYPE a [${'<!ENTITY a "b">'.repeat(size)}`],
  ['brackets', (size) => `<statusmessage>${']'.repeat(size * 5)}</statusmessage>`],
  ['carriage returns', (size) => `<statusmessage>${'\r'.repeat(size * 5)}</statusmessage>`],
  [
    'items that are almost plain',
    (size) => `<SelectByApikeyResult>${'<ApiSelect><messageid>1</messageid>'.repeat(size)}`,
  ],
])('a megabyte of %s is read in time', (_title, write) => {
  const body = responseEnvelope('SelectByApikey', `${write(100_000)}<status>1</status>`);
  const cuts = Array.from({ length: body.length >> 12 }, (_, index) => index << 12);
  expect(cpuTime(() => readResponse('SelectByApikey', body, { cuts }))).toBeLessThan(LIMIT_MS);
});

test('a text of a megabyte that arrives in small pieces is read in time', () => {
  const text = 'سلام '.repeat(120_000);
  const record = `<ApiReceive><messageid>1</messageid><message>${text}</message><date>2</date></ApiReceive>`;
  const content = `<ReceiveByApikeyResult>${record}</ReceiveByApikeyResult><status>200</status>`;
  const body = Buffer.from(responseEnvelope('ReceiveByApikey', content));
  const cuts = Array.from({ length: body.length >> 6 }, (_, index) => 1024 + (index << 6));
  let read: unknown;
  const cost = cpuTime(() => {
    read = readResponse('ReceiveByApikey', body, { cuts });
  });
  expect(read).toMatchObject({
    response: { ReceiveByApikeyResult: { ApiReceive: [{ message: text }] } },
  });
  expect(cost).toBeLessThan(LIMIT_MS);
});
