import { type Field, type OperationName, operations } from '../../../generated/operations';
import { type IncomingRequest, readRequest } from '../../../src/sandbox/wire/read-request';
import { Rejection } from '../../../src/sandbox/wire/rejection';
import { element, envelope, KEY, NAMESPACE, versions } from '../support';

const RUNS = Number(process.env.MESSAGING_FUZZ_RUNS ?? 20_000);

/** Mulberry32: the same numbers on every machine, so that a failure can be seen again. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const requests = (Object.keys(operations) as OperationName[]).flatMap((operation) =>
  versions.map((version) => {
    const children = (operations[operation].request as readonly Field[]).map(({ name, type, item }) => {
      const value =
        name === 'apikey' ? KEY : type === 'string' ? 'سلام &amp; <![CDATA[x]]>&#xD;😀' : '-9007199254740993';
      return `<${name}>${item === undefined ? value : `<${item}>${value}</${item}> <${item} xsi:nil="true"/>`}</${name}>`;
    });
    const header = version === '1.1' ? '<soap:Header><h soap:mustUnderstand="0"/></soap:Header>' : '';
    return {
      operation,
      text: envelope(version, element(operation, children.join('<!-- c -->')), header),
    };
  }),
);
const contentTypes = [
  'text/xml; charset=utf-8',
  'text/xml',
  'text/xml; charset=utf-16',
  'text/xml; charset=latin1',
  'text/xml; charset=x-unknown',
  'application/soap+xml; charset=utf-8',
  'application/soap+xml',
  `application/soap+xml; charset=utf-8; action="${NAMESPACE}SendAdvance"`,
  'application/soap+xml; action="\\"; charset=',
  'text/plain',
];
const pieces = [
  '<', '>', '/', '&', ';', '"', "'", '=', '<!--', '-->', '<![CDATA[', ']]>', '<?', '?>', '<!DOCTYPE a [', ']>', '</',
  '&#0;', '&#xD800;', '&#x110000;', '&a;', 'xmlns=""', 'xmlns:soap="urn:x"', 'xsi:nil="true"', 'soap:', '\0', '\x01',
  '\ud800', '\ufffe', '\ufeff', '9'.repeat(30), ' '.repeat(40), '<long>', '</long>', '<string/>', '<soap:Body>',
  '</soap:Body>', '</soap:Envelope>', 'mustUnderstand="1"', '__proto__', '-', '+', '\r\n',
]; // biome-ignore format: one line of kinds each

test(`${RUNS} damaged requests are read or refused, never anything else`, () => {
  let read = 0;
  let refused = 0;
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const random = seeded(seed);
    const request = damage(random);
    const started = process.cpuUsage();
    try {
      const call = readRequest(request, NAMESPACE, random(2) === 0);
      expect(Object.keys(operations)).toContain(call.operation);
      read += 1;
    } catch (error) {
      if (!(error instanceof Rejection))
        throw new Error(`seed ${seed}: ${request.body.toString('latin1')}`, { cause: error });
      refused += 1;
    }
    if (process.cpuUsage(started).user > 2_000_000) throw new Error(`seed ${seed} took too long`);
  }
  // Damage that leaves nothing to read, or everything, would test nothing.
  expect(read).toBeGreaterThan(RUNS / 100);
  expect(refused).toBeGreaterThan(RUNS / 100);
}, 600_000);

function damage(random: (below: number) => number): IncomingRequest {
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const { operation, text } = pick(requests);
  const contentType = pick(contentTypes);
  let damaged = text;
  for (let count = random(4); count > 0; count -= 1) {
    const at = random(damaged.length + 1);
    const length = random(3) === 0 ? random(200) : random(8);
    const kind = random(4);
    const from = random(damaged.length + 1);
    if (kind === 0) damaged = damaged.slice(0, at) + pick(pieces) + damaged.slice(at);
    else if (kind === 1) damaged = damaged.slice(0, at) + damaged.slice(at + length);
    else if (kind === 2) damaged = damaged.slice(0, at) + damaged.slice(from, from + length) + damaged.slice(at);
    else damaged = damaged.slice(0, at) + pick(pieces) + damaged.slice(at + length);
  }
  let body = Buffer.from(damaged, contentType.includes('utf-16') && random(4) > 0 ? 'utf16le' : 'utf8');
  if (random(4) === 0 && body.length > 0) {
    const at = random(body.length);
    body[at] = random(256);
    if (random(4) === 0) body = body.subarray(0, at);
  }
  const soapAction = pick([undefined, undefined, `"${NAMESPACE}${operation}"`, `"${NAMESPACE}SendAdvance"`, '"', '']);
  return { contentType, soapAction, body };
}
