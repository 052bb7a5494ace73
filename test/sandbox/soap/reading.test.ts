import { parseContentType } from '../../../src/internal/content-type';
import type { Sandbox } from '../../../src/sandbox';
import { readRequest } from '../../../src/sandbox/soap/read-request';
import { NAMESPACE, operationElement, requestEnvelope, requestHeaders, VERSIONS } from '../../support/envelopes';
import { call, faultIn, KEY, post, type RawResponse, textOf, textsOf } from '../../support/raw-client';
import { openSandbox } from '../../support/sandbox';

const KEY_ELEMENT = `<apikey>${KEY}</apikey>`;

describe('reading a request', () => {
  let sandbox: Sandbox;

  beforeEach(async () => {
    sandbox = await openSandbox();
  });

  /** Sends one message and gives the stored message. */
  async function store(
    children: string,
  ): Promise<{ response: RawResponse; message: Sandbox['messages'][number] | undefined }> {
    const response = await call(sandbox, '1.1', 'SendAdvance', KEY_ELEMENT + children);
    return { response, message: sandbox.messages.at(-1) };
  }

  describe('elements', () => {
    test('Elements may be in any order', async () => {
      const { message } = await store('');
      expect(message).toBeDefined();
      await call(
        sandbox,
        '1.1',
        'SendAdvance',
        `<status>0</status><receptor>r</receptor><message>m</message><sender>s</sender>${KEY_ELEMENT}`,
      );
      expect(sandbox.messages.at(-1)).toMatchObject({ sender: 's', message: 'm', receptor: 'r' });
    });

    test('Unknown children are ignored with their content', async () => {
      const { message } = await store('<mesage>x</mesage><a><message>y</message><b/></a><message>m</message>');
      expect(message?.message).toBe('m');
    });

    test('The first of repeated children counts', async () => {
      const { message } = await store('<message>first</message><message>second<!-- --></message>');
      expect(message?.message).toBe('first');
      const ids = '<messageid><long>9007199254740993</long></messageid><messageid><long>1</long></messageid>';
      const { body } = await call(sandbox, '1.1', 'GetStatusByApikey', KEY_ELEMENT + ids);
      expect(textsOf(body, 'int')).toEqual(['1']);
    });

    test('The last of two operation elements counts', async () => {
      const one = (message: string): string =>
        operationElement('SendAdvance', `${KEY_ELEMENT}<message>${message}</message>`);
      await post(sandbox, requestHeaders('1.1', 'SendAdvance'), requestEnvelope('1.1', one('first') + one('last')));
      expect(sandbox.messages.map(({ message }) => message)).toEqual(['last']);
    });

    test('Missing children are null or 0, also status and statusmessage', async () => {
      const { response, message } = await store('');
      expect(textOf(response.body, 'status')).toBe('200');
      expect(Object.keys(message ?? {})).toEqual(['messageid', 'status', 'statustext', 'date', 'cost']);
    });

    test('The first of two bodies counts, and a header after the body is ignored', async () => {
      const body = (message: string): string =>
        `<soap:Body>${operationElement('SendAdvance', `${KEY_ELEMENT}<message>${message}</message>`)}</soap:Body>`;
      const late = '<soap:Header><x soap:mustUnderstand="1"/></soap:Header>';
      const whole = requestEnvelope('1.1', '').replace(
        '<soap:Body></soap:Body>',
        body('first') + late + body('second'),
      );
      await post(sandbox, requestHeaders('1.1', 'SendAdvance'), whole);
      expect(sandbox.messages.map(({ message }) => message)).toEqual(['first']);
    });

    test('Only children in the namespace of the service count, under any prefix', async () => {
      const unqualified = `<m:SendAdvance xmlns:m="${NAMESPACE}"><m:apikey>${KEY}</m:apikey><message>x</message></m:SendAdvance>`;
      await post(sandbox, requestHeaders('1.1', 'SendAdvance'), requestEnvelope('1.1', unqualified));
      expect(sandbox.messages.at(-1)?.message).toBeUndefined();
      await post(
        sandbox,
        requestHeaders('1.1', 'SendAdvance'),
        requestEnvelope('1.1', unqualified.replaceAll(/(<\/?)message/g, '$1m:message')),
      );
      expect(sandbox.messages.at(-1)?.message).toBe('x');
    });

    test('An element may have xsi:type', async () => {
      const { message } = await store('<message xsi:type="xsd:string">m</message>');
      expect(message?.message).toBe('m');
    });
  });

  describe('numbers', () => {
    test.each([
      [' \t\r\n17 ', 17n],
      ['+17', 17n],
      ['0017', 17n],
      ['9223372036854775807', 9223372036854775807n],
      ['-9223372036854775808', -9223372036854775808n],
    ])('The number %j is read', async (text, date) => {
      const { message } = await store(`<unixdate>${text}</unixdate>`);
      expect(message?.date).toBe(date);
    });

    test('The number -0 is 0', async () => {
      const { message } = await store('<unixdate>-0</unixdate>');
      expect(message?.date).toBeGreaterThan(1_600_000_000n);
    });

    const wrong = ['', ' ', '17.0', '1e3', '1,000', '0x11', '۱۷', '1 7', '--1', 'NaN'];
    test.each(VERSIONS.flatMap((version) => wrong.map((text) => [text, version] as const)))(
      'The number %j is a fault of the caller (%s)',
      async (text, version) => {
        const response = await call(sandbox, version, 'SendAdvance', `${KEY_ELEMENT}<unixdate>${text}</unixdate>`);
        expect(response.status).toBe(500);
        const fault = faultIn(response);
        expect(fault?.code).toBe(version === '1.1' ? 'Client' : 'Sender');
        expect(fault?.reason).toMatch(
          /^Server was unable to read request. ---> There is an error in XML document \(\d+, \d+\). ---> Input string was not in a correct format.$/,
        );
        expect(sandbox.messages).toEqual([]);
      },
    );

    test.each([
      ['unixdate', '9223372036854775808', 'Int64'],
      ['unixdate', '-9223372036854775809', 'Int64'],
      ['unixdate', '9'.repeat(5000), 'Int64'],
      ['encoding', '2147483648', 'Int32'],
    ])('A number out of the range of %s is a fault that names the type (%#)', async (name, text, type) => {
      const { response } = await store(`<${name}>${text}</${name}>`);
      expect(faultIn(response)?.reason).toContain(`Value was either too large or too small for an ${type}.`);
    });

    test('A short has a smaller range than an int', async () => {
      const response = await call(sandbox, '1.1', 'ReceiveByApikey', `${KEY_ELEMENT}<isread>32768</isread>`);
      expect(faultIn(response)?.reason).toContain('too small for an Int16.');
    });

    test('A number that is nil is a fault', async () => {
      const { response } = await store('<unixdate xsi:nil="true" />');
      expect(faultIn(response)?.code).toBe('Client');
    });
  });

  describe('lists', () => {
    /** The receptors that the service read, taken from the stored messages. */
    async function receptors(list: string): Promise<(string | undefined)[]> {
      await call(sandbox, '1.2', 'SendSimpleByApikey', KEY_ELEMENT + list);
      return sandbox.messages.map(({ receptor }) => receptor);
    }

    test.each([
      ['self-closed', '<receptor />'],
      ['empty', '<receptor></receptor>'],
      ['absent', ''],
      ['nil', '<receptor xsi:nil="true" />'],
      ['of other children', '<receptor><long>1</long><String>1</String></receptor>'],
      ['of bare text', '<receptor>09120000001</receptor>'],
      ['of unqualified items', '<receptor><string xmlns="">1</string></receptor>'],
    ])('A list that is %s holds no items', async (_, list) => {
      expect(await receptors(list)).toEqual([]);
    });

    test('An absent or nil list is null, and an empty list is empty', () => {
      const messageid = (list: string): unknown => {
        const text = requestEnvelope('1.1', operationElement('SelectByApikey', list));
        const headers = { contentType: parseContentType('text/xml; charset=utf-8'), soapAction: undefined };
        return (readRequest({ ...headers, text }, NAMESPACE, false).arguments as { messageid?: unknown }).messageid;
      };
      expect(messageid('')).toBeNull();
      expect(messageid('<messageid xsi:nil="true"><long>1</long></messageid>')).toBeNull();
      expect(messageid('<messageid />')).toEqual([]);
      expect(messageid('<messageid xsi:nil="false"><long>1</long></messageid>')).toEqual([1n]);
    });

    test('An empty item is an empty text, and a nil item is null', async () => {
      const list = '<receptor><string>a</string><string/><string></string><string xsi:nil="1"/></receptor>';
      expect(await receptors(list)).toEqual(['a', '', '', undefined]);
    });

    test('A number in a list is read, although its xsi:nil is true', async () => {
      const ids = '<messageid><long xsi:nil="true">5</long></messageid>';
      const { body } = await call(sandbox, '1.1', 'GetStatusByApikey', KEY_ELEMENT + ids);
      expect(textsOf(body, 'int')).toEqual(['100']);
    });

    test('A list may have comments and blanks between its items', async () => {
      expect(await receptors('<receptor> <!-- x --> <string>a</string>\n<?pi?></receptor>')).toEqual(['a']);
    });

    test.each(['<long />', '<long xsi:nil="true" />', '<long>x</long>'])(
      'The item %s in a list of longs is a fault',
      async (item) => {
        const ids = `<messageid><long>1</long>${item}</messageid>`;
        const response = await call(sandbox, '1.1', 'GetStatusByApikey', KEY_ELEMENT + ids);
        expect(faultIn(response)?.code).toBe('Client');
      },
    );
  });

  describe('strings', () => {
    test.each([
      ['<message />', ''],
      ['<message></message>', ''],
      ['<message xsi:nil="true" />', ''],
      ['<message>  a\t\n b </message>', '  a\t\n b '],
      ['<message><![CDATA[<b>&amp;]]]]>&gt;<![CDATA[ ]]></message>', '<b>&amp;]]> '],
      ['<message>a\r\nb\rc&#xD;d&#13;&#xA;e</message>', 'a\nb\nc\rd\r\ne'],
      ['<message>&lt;&amp;&gt;&quot;&apos;&#x1F600;😀</message>', '<&>"\'😀😀'],
      ['<message>\x7f\u0085\u2028\ufeff</message>', '\x7f\u0085\u2028\ufeff'],
    ])('The text %j is read as %j', async (xml, text) => {
      const { message } = await store(xml);
      expect(message?.message).toBe(text);
    });

    test.each(['&#1;', '\x01', '&#0;', '&#xFFFE;', '&#xD83D;', 'a<!-- b -->c', 'a<b>c</b>', '<?pi?>', '&nbsp;', ']]>'])(
      'A text that holds %j gets 400 with an empty body',
      async (content) => {
        for (const version of VERSIONS) {
          const response = await call(sandbox, version, 'SendAdvance', `${KEY_ELEMENT}<message>${content}</message>`);
          expect([response.status, response.body]).toEqual([400, '']);
        }
        expect(sandbox.messages).toEqual([]);
      },
    );
  });

  describe('charsets', () => {
    const request = requestEnvelope('1.1', operationElement('SendAdvance', `${KEY_ELEMENT}<message>سلام é</message>`));

    async function messageFrom(contentType: string, body: Buffer): Promise<string | undefined> {
      const { status } = await post(sandbox, { 'Content-Type': contentType }, body);
      expect(status).toBe(200);
      return sandbox.messages.at(-1)?.message;
    }

    test('text/xml without a charset is ASCII with a question mark for each other byte, whatever the XML declaration says', async () => {
      expect(request).toContain('encoding="utf-8"');
      expect(await messageFrom('text/xml', Buffer.from(request))).toBe('???????? ??');
      expect(await messageFrom('text/xml; charset=us-ascii', Buffer.from(request))).toBe('???????? ??');
      expect(await messageFrom('text/xml; charset=no-such-charset', Buffer.from(request))).toBe('???????? ??');
    });

    test('application/soap+xml without a charset has the encoding of its XML declaration, or UTF-8 without one', async () => {
      const renewed = request
        .replaceAll('soap:', 'soap12:')
        .replace('xmlns:soap=', 'xmlns:soap12=')
        .replace('http://schemas.xmlsoap.org/soap/envelope/', 'http://www.w3.org/2003/05/soap-envelope');
      const type = 'application/soap+xml';
      expect(await messageFrom(type, Buffer.from(renewed))).toBe('سلام é');
      expect(await messageFrom(type, Buffer.from(renewed.replace(/<\?xml.*?\?>/, '')))).toBe('سلام é');
      const latin = renewed.replace('utf-8', 'ISO-8859-1').replace('سلام ', '');
      expect(await messageFrom(type, Buffer.from(latin, 'latin1'))).toBe('é');
      expect(await messageFrom(type, Buffer.from(renewed.replace('utf-8', 'utf-16'), 'utf16le'))).toBe('سلام é');
      expect(await messageFrom(type, Buffer.from(renewed.replace('utf-8', 'utf-16')))).toBe('سلام é');
    });

    test('The charset parameter wins over the XML declaration', async () => {
      const mixed = Buffer.from('سلام é').toString('latin1');
      expect(await messageFrom('text/xml; charset=iso-8859-1', Buffer.from(request))).toBe(mixed);
    });

    test('The charset latin-1 is ISO 8859-1, not windows-1252', async () => {
      const body = Buffer.from(request.replace('سلام é', '\x80\x9f\xe9'), 'latin1');
      expect(await messageFrom('text/xml; charset=iso-8859-1', body)).toBe('\x80\x9f\xe9');
      expect(await messageFrom('text/xml; charset="Latin1"', body)).toBe('\x80\x9f\xe9');
    });

    test('UTF-16 is read with a byte order mark and without', async () => {
      const type = 'text/xml; charset=utf-16';
      const swapped = Buffer.from(`\ufeff${request}`, 'utf16le').swap16();
      expect(await messageFrom(type, Buffer.from(request, 'utf16le'))).toBe('سلام é');
      expect(await messageFrom(type, Buffer.from(`\ufeff${request}`, 'utf16le'))).toBe('سلام é');
      expect(await messageFrom(type, swapped)).toBe('سلام é');
    });

    test('The sandbox decodes the body of a request once, for the service and for the log of requests', async () => {
      const body = Buffer.from(request, 'utf16le');
      const decode = jest.spyOn(TextDecoder.prototype, 'decode');
      expect(await messageFrom('text/xml; charset=utf-16', body)).toBe('سلام é');
      expect(sandbox.requests.at(-1)?.body).toBe(request);
      const bodies = decode.mock.calls.filter(([bytes]) => bytes?.byteLength === body.length);
      decode.mockRestore();
      expect(bodies).toHaveLength(1);
    });

    test('Other charsets are read by their names', async () => {
      const [before = '', after = ''] = request.split('سلام é');
      const body = Buffer.concat([Buffer.from(before), Buffer.from([0xd3, 0xe1, 0xc7, 0xe3]), Buffer.from(after)]);
      expect(await messageFrom('text/xml; charset=windows-1256', body)).toBe('سلام');
    });

    test('A byte order mark of UTF-8 is skipped, and wins over every other sign', async () => {
      expect(await messageFrom('text/xml', Buffer.from(`\ufeff${request}`))).toBe('سلام é');
      expect(await messageFrom('text/xml; charset=utf-8', Buffer.from(`\ufeff${request}`))).toBe('سلام é');
    });

    test('Bytes that are not UTF-8 and halves of surrogate pairs become U+FFFD', async () => {
      const [before = '', after = ''] = request.split('سلام é');
      const bytes = Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xc3]), Buffer.from(after)]);
      expect(await messageFrom('text/xml; charset=utf-8', bytes)).toBe('\ufffd\ufffd');
      const half = Buffer.from(`${before}\ud83dx\ude00${after}`, 'utf16le');
      expect(await messageFrom('text/xml; charset=utf-16', half)).toBe('\ufffdx\ufffd');
    });

    test('Every response is in UTF-8', async () => {
      const text = operationElement('SelectlatestByApikey', `${KEY_ELEMENT}<pagesize>1</pagesize>`);
      await post(sandbox, { 'Content-Type': 'text/xml; charset=utf-8' }, request);
      const body = Buffer.from(requestEnvelope('1.1', text), 'utf16le');
      const response = await post(sandbox, { 'Content-Type': 'text/xml; charset=utf-16' }, body);
      expect(response.headers['content-type']).toBe('text/xml; charset=utf-8');
      expect(textOf(response.body, 'message')).toBe('سلام é');
    });
  });
});
