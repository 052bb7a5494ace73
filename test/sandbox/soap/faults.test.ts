import type { SoapVersion } from '../../../src';
import { type Sandbox, startSandbox } from '../../../src/sandbox';
import {
  CONTENT_TYPES,
  NAMESPACE,
  operationElement,
  PREFIXES,
  requestEnvelope,
  requestHeaders,
  VERSIONS,
} from '../../support/envelopes';
import { call, faultIn, KEY, post, textOf } from '../../support/raw-client';
import { openSandbox } from '../../support/sandbox';

const CREDIT = operationElement('RemainCreditByApiKey', `<apikey>${KEY}</apikey>`);

describe('faults and refusals', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await openSandbox();
  });

  describe('malformed XML', () => {
    const damaged: [string, (xml: string) => string][] = [
      ['cut off', (xml) => xml.slice(0, -9)],
      ['with crossed tags', (xml) => xml.replace('</apikey>', '</apikex>')],
      ['with text after its end', (xml) => `${xml}x`],
      ['with a second root', (xml) => xml + xml.replace(/^<\?xml.*?\?>/, '')],
      ['with an unbound prefix', (xml) => xml.replace('<apikey>', '<p:apikey/><apikey>')],
      ['with a repeated attribute', (xml) => xml.replace('<apikey>', '<apikey a="1" a="2">')],
      ['with an unknown entity', (xml) => xml.replace(KEY, '&key;')],
      ['with a DTD in the middle', (xml) => xml.replace('<apikey>', '<!DOCTYPE a><apikey>')],
      [
        'deeper than any envelope',
        (xml) => xml.replace('<apikey>', `${'<a>'.repeat(200)}${'</a>'.repeat(200)}<apikey>`),
      ],
    ];

    test.each(VERSIONS.flatMap((version) => damaged.map(([what, damage]) => [version, what, damage] as const)))(
      'A request in SOAP %s that is %s gets 400 with an empty body',
      async (version, _, damage) => {
        const body = damage(requestEnvelope(version, CREDIT));
        const response = await post(sandbox, requestHeaders(version, 'RemainCreditByApiKey'), body);
        expect([response.status, response.body]).toEqual([400, '']);
        expect(response.headers).toMatchObject({
          'content-type': CONTENT_TYPES[version],
          'content-length': '0',
          'cache-control': 'private',
        });
      },
    );

    const bomb = '<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>';
    const external = '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>';
    const noXml: [string, (xml: string) => string][] = [
      ['an empty body', () => ''],
      ['blanks', () => ' \n '],
      ['plain text', () => 'hello'],
      ['JSON', () => '{"a":1}'],
      ['a DTD', (xml) => xml.replace('?>', '?><!DOCTYPE a>')],
      ['a DTD with entities', (xml) => xml.replace('?>', `?>${bomb}`).replace(KEY, '&b;')],
      ['a DTD with an external entity', (xml) => xml.replace('?>', `?>${external}`).replace(KEY, '&f;')],
      ['a blank before the declaration', (xml) => ` ${xml}`],
      ['XML 1.1', (xml) => xml.replace('version="1.0"', 'version="1.1"')],
    ];

    test.each(noXml)('With the operation in the header, %s gets 400 with an empty body', async (_, make) => {
      const response = await post(
        sandbox,
        requestHeaders('1.1', 'RemainCreditByApiKey'),
        make(requestEnvelope('1.1', CREDIT)),
      );
      expect([response.status, response.body]).toEqual([400, '']);
    });

    test.each(VERSIONS.flatMap((version) => noXml.map(([what, make]) => [what, version, make] as const)))(
      'Without the operation in the header, %s is a Receiver fault of SOAP 1.2 (as %s)',
      async (_, version, make) => {
        const response = await post(
          sandbox,
          { 'Content-Type': CONTENT_TYPES[version] },
          make(requestEnvelope(version, CREDIT)),
        );
        expect(response.status).toBe(500);
        expect(response.headers['content-type']).toBe(CONTENT_TYPES['1.2']);
        expect(faultIn(response)?.code).toBe('Receiver');
        expect(faultIn(response)?.reason).toMatch(/^Server was unable to process request. ---> \w/);
        expect(response.body).toContain('</soap12:Reason><soap12:Detail /></soap12:Fault>');
      },
    );
  });

  test.each([
    ['another envelope namespace', requestEnvelope('1.1', CREDIT).replace('/soap/envelope/', '/soap/other/')],
    ['no envelope namespace', '<Envelope><Body /></Envelope>'],
    ['another root', requestEnvelope('1.2', CREDIT).replaceAll('Envelope', 'Letter')],
    ['HTML', '<html><body>hello</body></html>'],
  ])('%s is a VersionMismatch fault of SOAP 1.1 that names the supported versions', async (_, body) => {
    for (const version of VERSIONS) {
      const response = await post(sandbox, requestHeaders(version, 'RemainCreditByApiKey'), body);
      expect(response.status).toBe(500);
      expect(response.headers['content-type']).toBe(CONTENT_TYPES['1.1']);
      expect(faultIn(response)?.code).toBe('VersionMismatch');
      expect(response.body).toContain(
        '<soap:Header><soap12:Upgrade xmlns:soap12="http://www.w3.org/2003/05/soap-envelope">' +
          '<soap12:SupportedEnvelope qname="soap:Envelope" /><soap12:SupportedEnvelope qname="soap12:Envelope" />' +
          '</soap12:Upgrade></soap:Header><soap:Body>',
      );
    }
  });

  test.each([
    ['1.1', 'Client'],
    ['1.2', 'Receiver'],
  ] as const)('An envelope without a Body is a fault (%s, %s)', async (version, code) => {
    const body = requestEnvelope(version, '').replace(/<soap1?2?:Body>.*Body>/, '<other />');
    const response = await post(sandbox, requestHeaders(version, 'RemainCreditByApiKey'), body);
    expect(response.status).toBe(500);
    expect(faultIn(response)?.code).toBe(code);
  });

  describe('headers', () => {
    function withHeader(version: SoapVersion, attributes: string): Promise<Awaited<ReturnType<typeof post>>> {
      const prefix = PREFIXES[version];
      const header = `<${prefix}:Header><a:Security xmlns:a="urn:a" ${attributes}><a:b/></a:Security></${prefix}:Header>`;
      return post(sandbox, requestHeaders(version, 'RemainCreditByApiKey'), requestEnvelope(version, CREDIT, header));
    }

    test.each([
      ['1.1', 'soap:mustUnderstand="1"'],
      ['1.2', 'soap12:mustUnderstand="true"'],
    ] as const)('A header that must be understood is a fault without detail (%s %s)', async (version, attributes) => {
      const response = await withHeader(version, attributes);
      expect(response.status).toBe(500);
      expect(faultIn(response)).toEqual({ code: 'MustUnderstand', reason: 'SOAP header Security was not understood.' });
      expect(response.body.toLowerCase()).not.toContain('detail');
    });

    test.each([
      ['1.1', ''],
      ['1.1', 'soap:mustUnderstand="0"'],
      ['1.1', 'mustUnderstand="1"'],
      ['1.2', 'soap12:mustUnderstand="false"'],
    ] as const)('A header that need not be understood is ignored (%s "%s")', async (version, attributes) => {
      expect(textOf((await withHeader(version, attributes)).body, 'status')).toBe('200');
    });
  });

  test.each(VERSIONS)('The text of a response is escaped as ASMX escapes it, in SOAP %s', async (version) => {
    const own = await startSandbox();
    try {
      own.receive({ sender: null, receptor: '1', message: '<>&"\'\r\n\t\x01\ufffe\x7f\u2028😀' });
      const response = await call(own, version, 'ReceiveByApikey', `<apikey>${KEY}</apikey><lineNumber>1</lineNumber>`);
      expect(textOf(response.body, 'message')).toBe('&lt;&gt;&amp;"\'\r\n\t&#x1;&#xFFFE;\x7f\u2028😀');
    } finally {
      await own.close();
    }
  });

  test.each(VERSIONS)('Half a surrogate pair in a response is a fault of the service, in SOAP %s', async (version) => {
    const own = await startSandbox();
    try {
      own.reply('ReceiveByApikey', { result: [{ message: 'a\ud83d' }] });
      const response = await call(own, version, 'ReceiveByApikey', `<apikey>${KEY}</apikey><lineNumber>1</lineNumber>`);
      expect(response.status).toBe(500);
      expect(faultIn(response)?.code).toBe(version === '1.1' ? 'Server' : 'Receiver');
      expect(faultIn(response)?.reason).toMatch(/^Server was unable to process request. ---> There was an error/);
    } finally {
      await own.close();
    }
  });

  test.each(VERSIONS)('A request that is too long is a fault of the service, in SOAP %s', async (version) => {
    const own = await startSandbox({ maxRequestBytes: 2000 });
    try {
      const fits = await call(own, version, 'SendAdvance', `<apikey>${KEY}</apikey>`);
      expect(fits.status).toBe(200);
      const long = `<apikey>${KEY}</apikey><message>${'x'.repeat(500_000)}</message>`;
      const response = await call(own, version, 'SendAdvance', long);
      expect(response.status).toBe(500);
      expect(response.headers['content-type']).toBe(CONTENT_TYPES[version]);
      expect(faultIn(response)).toEqual({
        code: version === '1.1' ? 'Server' : 'Receiver',
        reason: 'Server was unable to process request. ---> Maximum request length exceeded.',
      });
      expect(own.messages).toHaveLength(1);
      expect(own.requests.at(-1)).toMatchObject({ method: 'POST', body: '' });
    } finally {
      await own.close();
    }
  });

  test('A fault escapes the namespaces and names of the request', async () => {
    const response = await post(
      sandbox,
      { 'Content-Type': CONTENT_TYPES['1.1'], SOAPAction: `"${NAMESPACE}<x>&amp;"` },
      requestEnvelope('1.1', CREDIT),
    );
    expect(response.body).toContain('SOAPAction: http://messaging.example/&lt;x&gt;&amp;amp;.</faultstring>');
  });
});
