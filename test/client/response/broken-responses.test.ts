import type { MessagingClient, OperationName } from '../../../src';
import { credit, listOf, nested, RECORD, STATUS, select, unquoted } from '../../support/broken-responses';
import { API_KEY, clientOf, invoke } from '../../support/client';
import { SAMPLES } from '../../support/contract';
import { envelope, NAMESPACE, responseEnvelope } from '../../support/envelopes';
import { responseFixture } from '../../support/fixtures';
import { httpResponse } from '../../support/http-response';
import { failureOf } from '../../support/outcomes';
import { type RawServer, serve } from '../../support/raw-server';
import { readResponse } from '../../support/reading';

describe('over a socket', () => {
  let server: RawServer;
  let client: MessagingClient;
  let body: string | Buffer;
  let contentType: string;
  beforeAll(async () => {
    server = await serve(() => httpResponse({ headers: { 'Content-Type': contentType }, body: body }));
    client = clientOf(server);
  });
  beforeEach(() => {
    contentType = 'text/xml; charset=utf-8';
  });

  test.each<[string, OperationName, string | Buffer, string]>([
    ['an empty body', 'SelectByApikey', '', 'the body is empty'],
    ['an HTML page', 'SelectByApikey', '<html><body>Sign in</body></html>', 'the root element is html in namespace ""'],
    [
      'no status',
      'SelectByApikey',
      select('<SelectByApikeyResult/><statusmessage>ok</statusmessage>'),
      'status is missing',
    ],
    ['a million nested elements', 'SelectByApikey', nested(1_000_000), 'elements are nested more than 100 deep'],
    [
      'a lone continuation byte in UTF-8',
      'SelectByApikey',
      Buffer.from([0x3c, 0x61, 0x80, 0x3e]),
      'the body is not valid utf-8',
    ],
  ])('a response with %s rejects with a ResponseError', async (_title, _operation, bytes, message) => {
    body = bytes;
    const error = await failureOf(client.select({ messageid: [1] }));
    expect(error).toMatchObject({
      name: 'ResponseError',
      outcome: 'unknown',
      operation: 'SelectByApikey',
      message: expect.stringContaining(`SelectByApikey: `),
    });
    expect(unquoted((error as Error).message)).toContain(unquoted(message));
    expect((error as { body: string }).body.length).toBeLessThanOrEqual(1000);
  });

  test('a truncated response rejects with a ResponseError, and never gives a result', async () => {
    const whole = responseFixture('SendSimpleByApikey.11').body;
    for (let length = 0; length < whole.length; length += 50) {
      body = whole.subarray(0, length);
      const error = await failureOf(
        client.sendSimple({ sender: '1', message: 'm', receptor: ['1'], unixdate: 0, msgmode: 0 }),
      );
      expect(error).toMatchObject({ name: 'ResponseError', outcome: 'unknown' });
    }
    body = whole;
    expect(await client.sendSimple({ sender: '1', message: 'm', receptor: ['1'], unixdate: 0, msgmode: 0 })).toEqual([
      9007199254740993n,
      9007199254740994n,
    ]);
  });

  test.each(['x-unknown', 'utf-7', 'none'])(
    'a response whose XML declaration names the unknown encoding %s rejects with a ResponseError',
    async (encoding) => {
      contentType = 'text/xml; charset=UTF_8';
      body = Buffer.concat([Buffer.from(`<?xml version="1.0" encoding="${encoding}"?>`), Buffer.from(listOf(RECORD))]);
      expect(await failureOf(client.select({ messageid: [1] }))).toMatchObject({
        name: 'ResponseError',
        message: `SelectByApikey: unknown encoding in the XML declaration: "${encoding}"`,
      });
    },
  );

  test('a response whose bytes are not in the charset of its header rejects with a ResponseError', async () => {
    contentType = 'text/xml; charset=utf-8';
    body = Buffer.from(select('<status>1</status><statusmessage>d\xe9j\xe0</statusmessage>'), 'latin1');
    expect(await failureOf(client.select({ messageid: [1] }))).toMatchObject({
      name: 'ResponseError',
      message: 'SelectByApikey: the body is not valid utf-8',
    });
  });

  test.each(['RemainCreditByApiKey', 'SendAdvance'] as const)(
    '%s rejects with a ResponseError when it succeeds without its result',
    async (operation) => {
      for (const result of ['', `<${operation}Result xsi:nil="true"/>`]) {
        body = responseEnvelope(operation, result + STATUS);
        expect(await failureOf(invoke(client, operation, SAMPLES[operation]))).toMatchObject({
          name: 'ResponseError',
          message: `${operation}: ${operation}Result is missing`,
        });
      }
    },
  );

  test.each([
    ['a closing tag', `</${'x'.repeat(1_000_000)}>`],
    ['an undeclared prefix', `<${'x'.repeat(1_000_000)}:a/>`],
    ['an attribute that comes twice', `<a ${'x'.repeat(1_000_000)}="" ${'x'.repeat(1_000_000)}=""/>`],
    ['an entity', `&${'x'.repeat(1_000_000)};`],
    ['an element', `<${'x'.repeat(1_000_000)}/>`],
    ['a number', `<status>${'x'.repeat(1_000_000)}</status>`],
  ])('the message stays short when %s is a megabyte long', async (_title, content) => {
    body = select(content);
    const error = (await failureOf(client.select({ messageid: [1] }))) as Error;
    expect(error).toMatchObject({ name: 'ResponseError' });
    expect(error.message.length).toBeLessThan(1000);
  });

  test('a refusing status takes precedence over a missing result', async () => {
    body = credit('<status>418</status><statusmessage>no</statusmessage>');
    expect(await failureOf(client.remainCredit())).toMatchObject({
      name: 'StatusError',
      status: 418,
      result: undefined,
    });
  });

  test('the error for a response that repeats the request shows no API key', async () => {
    body = envelope(`<SelectByApikey xmlns="${NAMESPACE}"><apikey>key &amp; &lt;secret&gt;</apikey></SelectByApikey>`);
    const error = (await failureOf(client.select({ messageid: [1] }))) as { body: string };
    expect(error.body).toContain('<apikey>***</apikey>');
    expect(error.body).not.toContain(API_KEY);
  });

  test.each<[string, (text: string) => Buffer]>([
    ['little-endian', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['big-endian', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('the body of an error in %s UTF-16 that only its byte order mark shows has no API key', async (_title, encode) => {
    contentType = 'text/xml';
    const caller = clientOf(server, { apiKey: 'canary-0123456789' });
    body = encode(envelope(`<SelectByApikey xmlns="${NAMESPACE}"><apikey>canary-0123456789</apikey></SelectByApikey>`));
    const error = (await failureOf(caller.select({ messageid: [1] }))) as { body: string };
    expect(error).toMatchObject({ name: 'ResponseError' });
    expect(error.body.replaceAll('\0', '')).not.toContain('canary');
  });

  const inNumber = (text: string) => select(`<status>${text}</status>`);
  const inNamespace = (text: string) => envelope(`<a xmlns="${text}"/>`);

  test.each<[string, string, (text: string) => string]>([
    ['in a number', 'canary-0123456789', inNumber],
    ['in a namespace', 'canary-0123456789', inNamespace],
    [
      'in an entity',
      'canary-0123456789',
      (text) => select(`<status>1</status><statusmessage>&${text};</statusmessage>`),
    ],
    ['in the name of an element', 'canary-0123456789', (text) => envelope(`<${'x'.repeat(40)}${text}/>`)],
    ['with quotes and a backslash in a number', '"canary"\\0123456789', inNumber],
    ['with quotes and a backslash in a namespace', '"canary"\\0123456789', inNamespace],
    ['with a line end in a number', 'canary\n0123456789', inNumber],
  ])('an API key %s is shown neither whole nor in part', async (_title, apiKey, write) => {
    const caller = clientOf(server, { apiKey });
    // The key stands at every place where a message may be cut.
    for (let padding = 0; padding < 60; padding++) {
      body = write(`${'x'.repeat(padding)}${apiKey.replaceAll('"', '&quot;')}`);
      const error = (await failureOf(caller.select({ messageid: [1] }))) as Error;
      expect(error).toMatchObject({ name: 'ResponseError' });
      expect(error.message).not.toContain('canary');
    }
  });
});

describe.each<[string, OperationName]>([
  ['SelectByApikey.11', 'SelectByApikey'],
  ['ReceiveByApikey.12', 'ReceiveByApikey'],
  ['SendSimpleByApikey.11', 'SendSimpleByApikey'],
  ['GetStatusByApikey.12', 'GetStatusByApikey'],
  ['RemainCreditByApiKey.11', 'RemainCreditByApiKey'],
  ['SendAdvance.12', 'SendAdvance'],
  ['result-control-characters.11', 'SelectByApikey'],
  ['result-null-record-null-fields-extremes.11', 'SelectByApikey'],
  ['throw-soapexception.12', 'SelectByApikey'],
])('the response %s of a real service', (name, operation) => {
  const { body } = responseFixture(name);

  test(`the response ${name} of a real service is an error when it is cut off at any byte`, () => {
    expect(readResponse(operation, body)).not.toHaveProperty('error');
    for (let length = 0; length < body.length; length++) {
      // Each expectation costs more than a reading.
      if (!('error' in readResponse(operation, body.subarray(0, length)))) expect(length).toBe(body.length);
    }
  });
});
