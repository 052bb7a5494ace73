import { type OperationName, operations } from '../../../generated/operations';
import { parseContentType } from '../../../src/internal/content-type';
import { decodeBody } from '../../../src/sandbox/soap/charset';
import { FaultRejection } from '../../../src/sandbox/soap/fault';
import { readRequest } from '../../../src/sandbox/soap/read-request';
import { NAMESPACE, operationElement, requestChildren, requestEnvelope, VERSIONS } from '../../support/envelopes';
import { FUZZ_RUNS } from '../../support/loops';
import { Random } from '../../support/random';
import { KEY } from '../../support/raw-client';

const requests = (Object.keys(operations) as OperationName[]).flatMap((operation) =>
  VERSIONS.map((version) => {
    const values = { key: KEY, text: 'سلام &amp; <![CDATA[x]]>&#xD;😀', number: '-9007199254740993' };
    const children = requestChildren(operation, values, (item) => ` <${item} xsi:nil="true"/>`);
    const header = version === '1.1' ? '<soap:Header><h soap:mustUnderstand="0"/></soap:Header>' : '';
    return {
      operation,
      text: requestEnvelope(version, operationElement(operation, children.join('<!-- c -->')), header),
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

test(`${FUZZ_RUNS} damaged requests are all read or refused, and none causes another error`, () => {
  let read = 0;
  let refused = 0;
  for (let seed = 1; seed <= FUZZ_RUNS; seed += 1) {
    const random = new Random(seed);
    const request = damage(random);
    const started = process.cpuUsage();
    try {
      const { soapAction, body } = request;
      const contentType = parseContentType(request.contentType);
      const text = decodeBody(body, contentType);
      const call = readRequest({ contentType, soapAction, text }, NAMESPACE, random.below(2) === 0);
      expect(Object.keys(operations)).toContain(call.operation);
      read += 1;
    } catch (error) {
      if (!(error instanceof FaultRejection))
        throw new Error(`seed ${seed}: ${request.body.toString('latin1')}`, { cause: error });
      refused += 1;
    }
    if (process.cpuUsage(started).user > 2_000_000) throw new Error(`seed ${seed} took too long`);
  }
  // The test would prove nothing if every request was refused, or every request was read.
  expect(read).toBeGreaterThan(FUZZ_RUNS / 100);
  expect(refused).toBeGreaterThan(FUZZ_RUNS / 100);
});

function damage(random: Random): { contentType: string; soapAction: string | undefined; body: Buffer } {
  const { operation, text } = random.pick(requests);
  const contentType = random.pick(contentTypes);
  let damaged = text;
  for (let count = random.below(4); count > 0; count -= 1) {
    const at = random.below(damaged.length + 1);
    const length = random.below(3) === 0 ? random.below(200) : random.below(8);
    const kind = random.below(4);
    const from = random.below(damaged.length + 1);
    if (kind === 0) damaged = damaged.slice(0, at) + random.pick(pieces) + damaged.slice(at);
    else if (kind === 1) damaged = damaged.slice(0, at) + damaged.slice(at + length);
    else if (kind === 2) damaged = damaged.slice(0, at) + damaged.slice(from, from + length) + damaged.slice(at);
    else damaged = damaged.slice(0, at) + random.pick(pieces) + damaged.slice(at + length);
  }
  let body = Buffer.from(damaged, contentType.includes('utf-16') && random.below(4) > 0 ? 'utf16le' : 'utf8');
  if (random.below(4) === 0 && body.length > 0) {
    const at = random.below(body.length);
    body[at] = random.below(256);
    if (random.below(4) === 0) body = body.subarray(0, at);
  }
  const soapAction = random.pick([
    undefined,
    undefined,
    `"${NAMESPACE}${operation}"`,
    `"${NAMESPACE}SendAdvance"`,
    '"',
    '',
  ]);
  return { contentType, soapAction, body };
}
