import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessagingClient, type MessagingOptions } from '../../src';
import { environmentOf, messaging } from '../cli/support';
import { clientOf } from '../support/client';
import { SAMPLES } from '../support/contract';
import { credit, NAMESPACE } from '../support/envelopes';
import { pem } from '../support/fixtures';
import { callWithoutResponse, failureOf } from '../support/outcomes';
import { ROOT } from '../support/process';
import { RawServer, serve } from '../support/raw-server';
import { openSandbox } from '../support/sandbox';

const text = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8');
const headings = [...text.matchAll(/^#### `(.*)`$/gm)].map(([, message = '']) => message);
const simple = SAMPLES.SendSimpleByApikey;
const required = { baseUrl: 'http://provider.example', namespace: NAMESPACE, apiKey: 'key', successStatuses: [200] };

/** Each mistake that a new user makes. */
const mistakes: readonly (() => Promise<unknown>)[] = [
  ...[
    { apiKey: '' },
    { apiKey: '5f3a8c\n' },
    { baseUrl: 'http://127.0.0.1:8080/soap/v1.asmx' },
    { baseUrl: '127.0.0.1' },
    { baseUrl: 'localhost:8080' },
    { timeout: 1, maxRetries: 1 },
  ].map((options) => async () => new MessagingClient({ ...required, ...options } as MessagingOptions)),
  async () => {
    const environment = { ...environmentOf({ ...required, baseUrl: 'http://127.0.0.1:1' }), MESSAGING_API_KEY: '' };
    const { stderr } = await messaging(['remain-credit'], { environment });
    throw new Error(stderr.replace(/^error: |\n$/g, ''));
  },
  async () => JSON.stringify([1n]),
  async () => {
    const client = clientOf(await serve(''));
    await client.close();
    await client.remainCredit();
  },
  async () => clientOf(await serve('')).sendSimple({ ...simple, msgmode: undefined } as never),
  async () => clientOf(await serve('')).sendSimple({ ...simple, unixDate: 0 } as never),
  async () => clientOf(await serve('')).sendSimple({ ...simple, receptor: ['ab\x01'] }),
  () => clientOf({ baseUrl: 'http://127.0.0.1:1' }).remainCredit(),
  () => clientOf({ baseUrl: 'http://service.invalid' }).remainCredit(),
  async () => {
    const service = await RawServer.start({ onConnection: (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') });
    return clientOf({ baseUrl: `https://127.0.0.1:${service.port}` }).remainCredit();
  },
  async () =>
    clientOf(await RawServer.start({ tls: { cert: pem('server.pem'), key: pem('server.key') } })).remainCredit(),
  async () =>
    clientOf(await RawServer.start({ tls: { cert: pem('provider.pem'), key: pem('provider.key') } }), {
      tls: { ca: pem('authority.pem') },
    }).remainCredit(),
  async () =>
    clientOf(
      { baseUrl: `https://127.0.0.1:${(await RawServer.start({})).port}` },
      { connectTimeoutMs: 20 },
    ).remainCredit(),
  async () => {
    const service = await RawServer.start({});
    const client = clientOf(service, { maxConnections: 1 });
    client.remainCredit().catch(() => undefined);
    await service.until(() => service.requests.length === 1);
    return client.remainCredit({}, { timeoutMs: 20 });
  },
  () => atSandbox((options) => ({ namespace: options.namespace?.slice(0, -1) as string })),
  () => atSandbox((options) => ({ namespace: options.namespace?.slice(0, -1) as string, soapVersion: '1.2' })),
  () => atSandbox((options) => ({ baseUrl: `${options.baseUrl}/api` })),
  async () => {
    // What an ASP.NET service writes about a URL that continues after its path.
    const body = "Request format is unrecognized for URL unexpectedly ending in '/more'.";
    return clientOf(await serve({ status: 500, body })).remainCredit();
  },
  () => atSandbox(() => ({ apiKey: 'another' })),
  async () => clientOf(await serve({ status: 302, headers: { Location: 'https://x.example/' } })).remainCredit(),
  async () => clientOf(await serve({ status: 503, body: 'busy' })).remainCredit(),
  ...['hello', '<!DOCTYPE html><html></html>', '<html></html>', ''].map(
    (page) => async () => clientOf(await serve(page)).remainCredit(),
  ),
  async () => clientOf(await serve(credit(5).replaceAll(NAMESPACE, 'urn:x'))).remainCredit(),
  async () => clientOf(await serve(credit(5)), { maxResponseBytes: 10 }).remainCredit(),
  () => callWithoutResponse(20, (client) => client.remainCredit()),
  async () => clientOf(await RawServer.start(({ socket }) => socket.end())).remainCredit(),
  async () => {
    const abort = new AbortController();
    const service = await RawServer.start(() => abort.abort());
    return clientOf(service).remainCredit({}, { signal: abort.signal });
  },
];

/** Calls the sandbox with a mistake in the client's options. */
async function atSandbox(mistake: (options: MessagingOptions) => Partial<MessagingOptions>): Promise<unknown> {
  const sandbox = await openSandbox();
  return clientOf(sandbox, { ...sandbox.clientOptions, ...mistake(sandbox.clientOptions) } as object).remainCredit();
}

test('the client gives every message that docs/troubleshooting.md explains', async () => {
  const messages: string[] = [];
  for (const mistake of mistakes) messages.push(((await failureOf(mistake())) as Error).message);
  expect(headings.length).toBeGreaterThan(25);
  const unheard = headings.filter((heading) => !messages.some((message) => patternOf(heading).test(message)));
  expect({ unheard, messages: unheard.length > 0 ? messages : [] }).toEqual({ unheard: [], messages: [] });
});

function patternOf(heading: string): RegExp {
  const parts = heading.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}
