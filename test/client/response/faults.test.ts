import { FaultError, type MessagingClient } from '../../../src';
import { createMasker } from '../../../src/internal/mask';
import { clientOf } from '../../support/client';
import { ENVELOPE_NAMESPACES, envelope } from '../../support/envelopes';
import { responseFixture } from '../../support/fixtures';
import { failureOf } from '../../support/outcomes';
import { type RawServer, serve } from '../../support/raw-server';
import { type Reading, readResponse, readWithSax } from '../../support/reading';

const BOOM = 'Server was unable to process request. ---> boom <&> سلام 😀';
const DETAIL = '<reason xmlns="http://messaging.example/">quota &lt;exceeded&gt;</reason>';

let server: RawServer;
let response: Buffer;
let clients: readonly MessagingClient[];
beforeAll(async () => {
  server = await serve(() => response);
  clients = [clientOf(server), clientOf(server, { soapVersion: '1.2' })];
});

describe.each([
  ['throw.11', { code: 'Server', reason: BOOM, detail: '', outcome: 'unknown' }],
  ['throw.12', { code: 'Receiver', reason: BOOM, detail: '', outcome: 'unknown' }],
  ['throw-soapexception.11', { code: 'Client', reason: 'client fault text', detail: DETAIL, outcome: 'rejected' }],
  ['throw-soapexception.12', { code: 'Sender', reason: 'client fault text', detail: DETAIL, outcome: 'rejected' }],
  ['wrong-namespace.12', { code: 'Sender', detail: '', outcome: 'rejected' }],
])('the fault %s of a real service', (name, expected) => {
  test(`the fault ${name} of a real service is a FaultError in both SOAP versions`, async () => {
    for (const client of clients) {
      response = responseFixture(name).raw;
      const error = await failureOf(client.remainCredit());
      expect(error).toBeInstanceOf(FaultError);
      expect(error).toMatchObject({ operation: 'RemainCreditByApiKey', httpStatus: 500, ...expected });
    }
  });
});

const fault11 = (content: string) => envelope(`<soap:Fault>${content}</soap:Fault>`);
const fault12 = (content: string) => envelope(`<soap:Fault>${content}</soap:Fault>`, '1.2');
const CODE = '<soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code>';
const english = '<soap:Text xml:lang="en">no credit</soap:Text>';
const german = '<soap:Text xml:lang="de">kein Guthaben</soap:Text>';
const persian = '<soap:Text xml:lang="fa">اعتبار ندارد</soap:Text>';

test.each<[string, string, { code: string; reason: string; detail: string }]>([
  [
    'all parts',
    fault11(
      '<faultcode>soap:Server</faultcode><faultstring>r</faultstring><faultactor>a</faultactor><detail>d</detail>',
    ),
    { code: 'Server', reason: 'r', detail: 'd' },
  ],
  [
    'a refined code',
    fault11('<faultcode>soap:Client.Authentication</faultcode><faultstring>r</faultstring>'),
    { code: 'Client.Authentication', reason: 'r', detail: '' },
  ],
  [
    'a code without a prefix, in blanks',
    fault11('<faultcode>\n Server\n</faultcode><faultstring>r</faultstring>'),
    { code: 'Server', reason: 'r', detail: '' },
  ],
  [
    'a code of its own',
    fault11('<faultcode xmlns:q="urn:q">q:NoCredit</faultcode><faultstring>r</faultstring>'),
    { code: 'NoCredit', reason: 'r', detail: '' },
  ],
  [
    'qualified names',
    fault11(
      '<soap:faultcode>soap:Server</soap:faultcode><soap:faultstring>r</soap:faultstring><soap:detail>d</soap:detail>',
    ),
    { code: 'Server', reason: 'r', detail: 'd' },
  ],
  [
    'its parts in another order',
    fault11('<detail>d</detail><faultstring>r</faultstring><faultcode>soap:Server</faultcode>'),
    { code: 'Server', reason: 'r', detail: 'd' },
  ],
  [
    'a reason in CDATA, with references and line ends',
    fault11('<faultcode>soap:Server</faultcode><faultstring> <![CDATA[<a>]]>&amp;\r\n&#x1;</faultstring>'),
    { code: 'Server', reason: ' <a>&\n\u0001', detail: '' },
  ],
  [
    'an emoji as two references in each part',
    fault11(
      '<faultcode>&#xD83D;&#xDE00;</faultcode><faultstring>a&#55357;&#56832;&#xD83D;b</faultstring><detail><x>&#xD83D;&#xDE00;</x></detail>',
    ),
    { code: '😀', reason: 'a😀\ufffdb', detail: '<x>😀</x>' },
  ],
  ['nothing in it', fault11(''), { code: '', reason: '', detail: '' }],
  [
    'structure in the detail',
    fault11(
      '<faultcode>soap:Server</faultcode><faultstring>r</faultstring><detail><e:error xmlns:e="urn:e" code="&quot;1&quot;"><e:part>a &lt; b</e:part><!-- no --><e:none/></e:error> tail</detail>',
    ),
    {
      code: 'Server',
      reason: 'r',
      detail: '<e:error xmlns:e="urn:e" code="&quot;1&quot;"><e:part>a &lt; b</e:part><e:none /></e:error> tail',
    },
  ],
  [
    'a nested Fault in the detail',
    fault11(
      '<detail><faultcode>Inner</faultcode><Code><Value>x</Value></Code></detail><faultcode>soap:Server</faultcode><faultstring>r</faultstring>',
    ),
    { code: 'Server', reason: 'r', detail: '<faultcode>Inner</faultcode><Code><Value>x</Value></Code>' },
  ],
  [
    'the form of 1.2',
    fault12(
      `${CODE}<soap:Reason>${english}</soap:Reason><soap:Node>n</soap:Node><soap:Role>r</soap:Role><soap:Detail><d/></soap:Detail>`,
    ),
    { code: 'Sender', reason: 'no credit', detail: '<d />' },
  ],
  [
    'subcodes',
    fault12(
      `<soap:Code><soap:Value>soap:Sender</soap:Value><soap:Subcode><soap:Value xmlns:m="urn:m">m:A</soap:Value><soap:Subcode><soap:Value>m:B</soap:Value></soap:Subcode></soap:Subcode></soap:Code><soap:Reason>${english}</soap:Reason>`,
    ),
    { code: 'Sender', reason: 'no credit', detail: '' },
  ],
  [
    'a subcode before the value',
    fault12(
      `<soap:Code><soap:Subcode><soap:Value>m:A</soap:Value></soap:Subcode><soap:Value>soap:Sender</soap:Value></soap:Code><soap:Reason>${english}</soap:Reason>`,
    ),
    { code: 'Sender', reason: 'no credit', detail: '' },
  ],
  [
    'several reasons, English last',
    fault12(`${CODE}<soap:Reason>${german}${persian}${english}</soap:Reason>`),
    { code: 'Sender', reason: 'no credit', detail: '' },
  ],
  [
    'several reasons, English first',
    fault12(`${CODE}<soap:Reason>${english}${german}</soap:Reason>`),
    { code: 'Sender', reason: 'no credit', detail: '' },
  ],
  [
    'a reason in en-US',
    fault12(`${CODE}<soap:Reason>${german}${english.replace('"en"', '"en-US"')}</soap:Reason>`),
    { code: 'Sender', reason: 'no credit', detail: '' },
  ],
  [
    'no English reason',
    fault12(`${CODE}<soap:Reason>${german}${persian}</soap:Reason>`),
    { code: 'Sender', reason: 'kein Guthaben', detail: '' },
  ],
  [
    'a reason in a language that starts like English',
    fault12(`${CODE}<soap:Reason>${german}${english.replace('"en"', '"enm"')}</soap:Reason>`),
    { code: 'Sender', reason: 'kein Guthaben', detail: '' },
  ],
  [
    'a reason without a language',
    fault12(`${CODE}<soap:Reason><soap:Text>r</soap:Text></soap:Reason>`),
    { code: 'Sender', reason: 'r', detail: '' },
  ],
  [
    'an unqualified detail in 1.2',
    fault12(`${CODE}<soap:Reason>${english}</soap:Reason><detail><d xmlns="urn:d">1</d></detail>`),
    { code: 'Sender', reason: 'no credit', detail: '<d xmlns="urn:d">1</d>' },
  ],
  [
    'other prefixes',
    fault12(`${CODE}<soap:Reason>${english}</soap:Reason>`).replaceAll('soap:', 'S:').replace('xmlns:soap', 'xmlns:S'),
    { code: 'Sender', reason: 'no credit', detail: '' },
  ],
  [
    'no prefixes',
    fault12(`${CODE}<soap:Reason>${english}</soap:Reason>`)
      .replaceAll('<soap:', '<')
      .replaceAll('</soap:', '</')
      .replace('xmlns:soap', 'xmlns'),
    { code: 'Sender', reason: 'no credit', detail: '' },
  ],
  [
    'a header before it',
    fault11('<faultcode>soap:VersionMismatch</faultcode><faultstring>r</faultstring>').replace(
      '<soap:Body>',
      `<soap:Header><u:Upgrade xmlns:u="${ENVELOPE_NAMESPACES['1.2']}"/></soap:Header><soap:Body>`,
    ),
    { code: 'VersionMismatch', reason: 'r', detail: '' },
  ],
])('a fault with %s is read', (_title, xml, fault) => {
  const everyByte = Array.from(Buffer.from(xml).keys());
  expect(shownFault(readResponse('RemainCreditByApiKey', xml))).toEqual(fault);
  expect(shownFault(readResponse('RemainCreditByApiKey', xml, { cuts: everyByte }))).toEqual(fault);
  expect(shownFault(readWithSax('RemainCreditByApiKey', xml))).toEqual(fault);
});

/** The fault as an error shows it. */
function shownFault(reading: Reading): object {
  if (!('fault' in reading)) throw new Error('not a fault');
  const { code, reason, detail } = new FaultError({ ...reading.fault, httpStatus: 500 });
  return { code, reason, detail };
}

test('a Fault outside the envelope namespaces is an unexpected element, and no fault', () => {
  const xml = envelope('<Fault xmlns="urn:other"><faultcode>x</faultcode></Fault>');
  expect(readResponse('RemainCreditByApiKey', xml)).toEqual({
    error: expect.stringMatching(
      /the body contains "?Fault"? in namespace "urn:other", not RemainCreditByApiKeyResponse/,
    ),
  });
});

test('a fault of ten megabytes is read and truncated', () => {
  const filler = `<entry>${'x'.repeat(90)}</entry>`.repeat(100_000);
  const xml = fault11(`<faultcode>soap:Server</faultcode><faultstring>r</faultstring><detail>${filler}</detail>`);
  const read = readResponse('RemainCreditByApiKey', xml);
  expect(read).toMatchObject({ fault: { code: 'soap:Server', reason: 'r' } });
  const { detail } = (read as { fault: { detail: string } }).fault;
  expect(detail.length).toBeGreaterThan(100_000);
  expect(detail.length).toBeLessThan(2_000_000);
});

test('a huge detail in front of the code and the reason of a fault leaves both whole', () => {
  const parts = '<faultcode>soap:Client</faultcode><faultstring>no credit</faultstring>';
  const xml = fault11(`<detail><text>${'x'.repeat(2_000_000)}</text></detail>${parts}`);
  expect(readResponse('RemainCreditByApiKey', xml)).toMatchObject({
    fault: { code: 'soap:Client', reason: 'no credit' },
  });
});

test.each<[part: 'code' | 'reason' | 'detail', write: (text: string) => string]>([
  ['code', (text) => `<faultcode>${text}</faultcode><faultstring>no</faultstring>`],
  ['reason', (text) => `<faultcode>Server</faultcode><faultstring>${text}</faultstring><detail>none</detail>`],
  ['detail', (text) => `<faultcode>Server</faultcode><faultstring>no</faultstring><detail><a>${text}</a></detail>`],
])('a fault that is cut in the middle of the API key in its %s shows no part of the key', (part, write) => {
  const key = 'canary0123456789';
  const context = { operation: 'RemainCreditByApiKey', ...createMasker(key) };
  // The text arrives in CDATA or in two pieces, which end within the key, where the fault is full and one character later.
  for (const size of [999_000, 1_000_000 - 10, 1_000_000 - 9]) {
    const text = `${'x'.repeat(size)}${key}${'z'.repeat(2000)}`;
    const isCut = size % 2 === 0;
    const xml = fault11(write(isCut ? text : `<![CDATA[${text}]]>`));
    const cuts = isCut ? [xml.indexOf(key) + 10] : [];
    const read = readResponse('RemainCreditByApiKey', xml, { cuts, masker: context });
    if (!('fault' in read)) throw new Error('not a fault');
    const error = new FaultError({ ...context, ...read.fault, httpStatus: 500 });
    expect(error[part].length).toBeGreaterThan(900_000);
    // Its start has no key, and takes long to print.
    expect(error[part].slice(900_000)).not.toContain('canary');
    expect(error.message.slice(-1000)).not.toContain('canary');
    if (part === 'detail') expect(error.reason).toBe('no');
  }
});
