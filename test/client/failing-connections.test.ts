import dns from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { MessagingOptions } from '../../src';
import { cleanUp } from '../support/clean-up';
import { clientOf } from '../support/client';
import { holdClock } from '../support/clock';
import { credit } from '../support/envelopes';
import { pem } from '../support/fixtures';
import { httpResponse } from '../support/http-response';
import { failureOf } from '../support/outcomes';
import { startProxy } from '../support/proxy';
import { RawServer } from '../support/raw-server';

const response = httpResponse(credit(5));
const serverTls = { cert: pem('server.pem'), key: pem('server.key') };
const providerTls = { cert: pem('provider.pem'), key: pem('provider.key') };
const expiredTls = { cert: pem('expired.pem'), key: pem('expired.key') };
const tls = { ca: [pem('authority.pem'), pem('expired.pem')] };

const serve = (tls?: TlsOptions) =>
  RawServer.start({ ...(tls && { tls }), onRequest: ({ socket }) => socket.write(response) });

/** A port whose connections fail at first, and lead to a good server after `recover`. */
interface Front {
  readonly port: number;
  recover(): Promise<void>;
}

/** Starts a front. @param fail makes a connection fail */
async function startFront(good: RawServer, fail: (socket: Socket) => void): Promise<Front> {
  let isGood = false;
  const sockets: Socket[] = [];
  const front = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    if (isGood) carry(socket, good);
    else fail(socket);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  cleanUp(() => {
    for (const socket of sockets) socket.destroy();
    front.close();
  });
  const recover = async () => {
    isGood = true;
  };
  return { port: (front.address() as AddressInfo).port, recover };
}

function carry(socket: Socket, { port }: RawServer): void {
  const upstream = connect(port, '127.0.0.1').on('error', () => socket.destroy());
  cleanUp(() => upstream.destroy());
  socket.pipe(upstream).pipe(socket);
}

/** A front that leads to another server, whose TLS fails. */
async function startWrongTls(tls: TlsOptions): Promise<Front> {
  const wrong = await serve(tls);
  return startFront(await serve(serverTls), (socket) => carry(socket, wrong));
}

const startBroken = async (fail: (socket: Socket) => void) => startFront(await serve(serverTls), fail);
const startBrokenProxy = async (fail: (socket: Socket) => void) => startFront((await startProxy()).service, fail);

/** A port that is closed until `recover`. */
async function startClosed(good: RawServer): Promise<Front> {
  const front = createServer((socket) => carry(socket, good)).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const { port } = front.address() as AddressInfo;
  await new Promise((resolve) => front.close(resolve));
  cleanUp(() => front.close());
  return {
    port,
    async recover() {
      front.listen(port, '127.0.0.1');
      await once(front, 'listening');
    },
  };
}

interface Way {
  readonly how: string;
  readonly start: () => Promise<Front>;
  readonly options: (port: number) => Partial<MessagingOptions<Record<never, never>>>;
  readonly message: RegExp;
}

const http = (port: number) => ({ baseUrl: `http://127.0.0.1:${port}` });
const https = (port: number) => ({ baseUrl: `https://127.0.0.1:${port}` });
/** The service that the calls through a proxy are for. */
let service: RawServer;
beforeAll(async () => {
  service = await serve();
});
const httpProxy = (port: number) => ({ baseUrl: service.baseUrl, proxy: `http://127.0.0.1:${port}` });
const httpsProxy = (port: number) => ({ baseUrl: service.baseUrl, proxy: `https://localhost:${port}` });

const ways: Way[] = [
  { how: 'that is refused', start: async () => startClosed(await serve()), options: http, message: /ECONNREFUSED/ },
  {
    how: 'to a name that DNS does not know',
    async start() {
      const { port } = await serve();
      const fail = (name: string, _: unknown, callback: (error: Error) => void) =>
        callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }));
      const lookup = jest.spyOn(dns, 'lookup').mockImplementation(fail as unknown as typeof dns.lookup);
      cleanUp(() => lookup.mockRestore());
      return { port, recover: async () => lookup.mockRestore() };
    },
    options: (port) => ({ baseUrl: `http://localhost:${port}` }),
    message: /ENOTFOUND/,
  },
  {
    how: 'to a service that does not speak TLS',
    start: () => startBroken((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')),
    options: https,
    message: /wrong version number|packet length/,
  },
  {
    how: 'to a service whose TLS version is too old',
    start: () =>
      startWrongTls({ ...serverTls, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    options: https,
    message: /TLS failed|ECONNRESET|disconnected/,
  },
  {
    how: 'to a service with a certificate for another name',
    start: () => startWrongTls(providerTls),
    options: https,
    message: /altnames/,
  },
  {
    how: 'to a service with a certificate of an unknown authority',
    start: () => startWrongTls({ cert: pem('client.pem'), key: pem('client.key') }),
    options: https,
    message: /./,
  },
  {
    how: 'to a service with an expired certificate',
    start: () => startWrongTls(expiredTls),
    options: https,
    message: /expired/,
  },
  ...(['TLSv1.2', 'TLSv1.3'] as const).map((version) => ({
    how: `to a service that requires a client certificate, with ${version}`,
    start: () => {
      const versions = { minVersion: version, maxVersion: version };
      return startWrongTls({ ...serverTls, ...versions, ca: tls.ca, requestCert: true, rejectUnauthorized: true });
    },
    options: https,
    message: /./,
  })),
  {
    how: 'that the service resets during the handshake',
    start: () => startBroken((socket) => socket.once('data', () => socket.resetAndDestroy())),
    options: https,
    message: /ECONNRESET/,
  },
  {
    how: 'that the service closes during the handshake',
    start: () => startBroken((socket) => socket.once('data', () => socket.end())),
    options: https,
    message: /disconnected|closed/,
  },
  {
    how: 'to a service that says nothing',
    start: () => startBroken(() => {}),
    options: (port) => ({ ...https(port), connectTimeoutMs: 500 }),
    message: /timed out after 500 ms making the connection/,
  },
  {
    how: 'to a proxy that is not running',
    start: async () => startClosed((await startProxy()).service),
    options: httpProxy,
    message: /ECONNREFUSED/,
  },
  ...[407, 502].map((status) => ({
    how: `to a proxy that responds with ${status}`,
    start: () => startBrokenProxy((socket) => socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`)),
    options: httpProxy,
    message: new RegExp(`HTTP status ${status}`),
  })),
  {
    how: 'to a proxy that closes the connection',
    start: () => startBrokenProxy((socket) => socket.once('data', () => socket.end())),
    options: httpProxy,
    message: /socket hang up/,
  },
  {
    how: 'to a proxy that does not speak HTTP',
    start: () => startBrokenProxy((socket) => socket.end('SSH-2.0-OpenSSH\r\n\r\n')),
    options: httpProxy,
    message: /./,
  },
  {
    how: 'to a proxy that sends more than a response',
    start: () => startBrokenProxy((socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${response}`)),
    options: httpProxy,
    message: /more than a response/,
  },
  {
    how: 'to a proxy that says nothing',
    start: () => startBrokenProxy(() => {}),
    options: (port) => ({ ...httpProxy(port), connectTimeoutMs: 500 }),
    message: /timed out after 500 ms making the connection/,
  },
  ...[
    { ...providerTls, how: 'for another name', message: /altnames/ },
    { ...expiredTls, how: 'that has expired', message: /expired/ },
  ].map(({ how, message, ...wrongTls }) => ({
    how: `to an https proxy with a certificate ${how}`,
    async start() {
      const wrong = await startProxy({ tls: wrongTls });
      const good = await startProxy({ tls: serverTls });
      return startFront(good.service, (socket) => carry(socket, wrong.service));
    },
    options: httpsProxy,
    message,
  })),
];

test.each(ways)('a connection $how fails its call alone: the client recovers and closes', async (way) => {
  const maxConnections = 2;
  const { port, recover } = await way.start();
  const options = way.options(port);
  const client = clientOf({ baseUrl: '' }, { maxConnections, tls, ...options });
  const clock = options.connectTimeoutMs === undefined ? undefined : holdClock();
  for (let count = 0; count <= maxConnections; count++) {
    const failure = failureOf(client.remainCredit());
    await clock?.advanceUntilSettled(failure, 100);
    const error = await failure;
    expect(error).toMatchObject({ message: expect.stringMatching(way.message) });
    expect((error as Error).message).not.toMatch(/waiting for a connection/);
  }
  await recover();
  expect(await client.remainCredit()).toBe(5n);
  await client.close();
});
