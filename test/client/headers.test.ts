import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { ConfigurationError, HttpError, type MessagingOptions } from '../../src';
import { cleanUp } from '../support/clean-up';
import { clientOf, respondWithSuccess } from '../support/client';
import { SAMPLES } from '../support/contract';
import { credit, responseOf, sentRecords } from '../support/envelopes';
import { collect, errorOf, failureOf, thrownBy } from '../support/outcomes';
import { RawServer, serve } from '../support/raw-server';

type Headers = NonNullable<MessagingOptions['headers']>;

test.each(['1.1', '1.2'] as const)(
  'the headers of the options are sent with each call in SOAP %s',
  async (soapVersion) => {
    const service = await serve(respondWithSuccess);
    const headers = { 'X-Gateway': 'abc', Authorization: 'Basic dXNlcjpwYXNz' };
    const client = clientOf(service, { soapVersion, headers });
    await client.sendSimple(SAMPLES.SendSimpleByApikey);
    await client.call('RemainCreditByApiKey', {});
    for (const { headers: sent, headerLines } of service.requests) {
      expect(sent).toMatchObject({ 'x-gateway': 'abc', authorization: 'Basic dXNlcjpwYXNz' });
      expect(headerLines.filter((line) => /^(x-gateway|content-type)/i.test(line))).toHaveLength(2);
    }
    expect(service.requests).toHaveLength(2);
  },
);

test('a function gives the headers of each call, once and in the context of the call', async () => {
  const list = responseOf('SelectlatestByApikey', sentRecords(1, 2));
  const service = await RawServer.start(({ body, socket }) => {
    const xml = body.includes('Selectlatest') ? list : credit(5);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(xml)}\r\n\r\n${xml}`);
  });
  const spans = new AsyncLocalStorage<string>();
  const headers = jest.fn(({ operation }: { operation: string }) => ({
    traceparent: `${spans.getStore()}-${operation}`,
  }));
  const client = clientOf(service, { headers, maxConnections: 1 });
  await spans.run('first', () => client.remainCredit());
  await spans.run('second', () => collect(client.selectLatestStream({ pagesize: 2 })));
  expect(service.requests.map((request) => request.headers.traceparent)).toEqual([
    'first-RemainCreditByApiKey',
    'second-SelectlatestByApikey',
  ]);
  expect(headers).toHaveBeenCalledTimes(2);
});

const wrong: [string, unknown, string][] = [
  ...[
    'SOAPAction',
    'content-type',
    'Content-Length',
    'Transfer-Encoding',
    'Host',
    'Connection',
    'User-Agent',
    'TE',
  ].map((name): [string, unknown, string] => [`the header ${name}`, { [name]: 'secret' }, name]),
  ['a name with a blank', { 'x y': 'secret' }, 'character'],
  ['an empty name', { '': 'secret' }, 'character'],
  ['a name with a line break', { 'x\r\ny': 'secret' }, 'character'],
  ['a value with a line break', { 'x-a': 'secret\r\nx-b: 1' }, 'x-a'],
  ['a value beyond ASCII', { 'x-a': 'secret é' }, 'x-a'],
  ['a value that is no text', { 'x-a': 5 }, 'x-a'],
  ['a name that is given twice', { 'x-a': 'secret', 'X-A': 'secret' }, 'twice'],
  ['a list', ['secret'], 'object'],
  ['a text', 'secret', 'object'],
];

test.each(wrong)(
  '%s is refused, in the options and in what a function returns, and its value is not shown',
  async (_, headers, words) => {
    const service = await serve(credit(5));
    const thrown = thrownBy(() => clientOf(service, { headers: headers as Headers }));
    const rejected = await failureOf(clientOf(service, { headers: () => headers as never }).remainCredit());
    for (const error of [thrown, rejected]) {
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error).toMatchObject({
        outcome: 'not-sent',
        problems: [{ option: 'headers', message: expect.stringContaining(words) }],
      });
      expect(inspect(error)).not.toContain('secret');
    }
    expect(service.requests).toHaveLength(0);
  },
);

test('an error that the function throws rejects the call, and nothing is sent', async () => {
  const service = await serve(credit(5));
  const reason = new Error('no token');
  const headers = () => {
    throw reason;
  };
  expect(await failureOf(clientOf(service, { headers }).remainCredit())).toBe(reason);
  expect(service.requests).toHaveLength(0);
});

test.each<[string, Headers]>([
  ['headers', { Authorization: 'Bearer canary-token-1', 'X-Gateway': 'canary-2' }],
  ['a function', () => ({ Authorization: 'Bearer canary-token-1', 'X-Gateway': 'canary-2' })],
])('no error and no channel shows the values of %s, or a token in them', async (_, headers) => {
  const published: unknown[] = [];
  const channels = ['messaging-soap:wire', 'tracing:messaging-soap:call:error'];
  const note = (message: unknown) => published.push(message);
  for (const name of channels) subscribe(name, note);
  cleanUp(() => {
    for (const name of channels) unsubscribe(name, note);
  });
  const echo = 'Bearer canary-token-1, canary-token-1 and canary-2';
  const service = await serve({ status: 403, headers: { 'X-Echo': echo }, body: `<html>${echo}</html>` });
  const error = await errorOf(HttpError, clientOf(service, { headers }).remainCredit());
  const shown = inspect([error, error.toJSON(), published], { depth: Number.POSITIVE_INFINITY, showHidden: true });
  expect(shown).not.toContain('canary');
  expect(published.length).toBeGreaterThan(2);
  expect(service.requests[0]?.headers.authorization).toBe('Bearer canary-token-1');
});
