import dns from 'node:dns';
import { EventEmitter } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MessagingClient } from '../../src/client/client';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { formatWsdl } from '../../src/soap/wsdl';
import { cleanUp } from '../support/clean-up';
import { gate, holdClock } from '../support/clock';
import { pem } from '../support/fixtures';
import { makeFolder } from '../support/folder';
import { FullListener } from '../support/full-listener';
import { ROOT } from '../support/process';
import { startProxy } from '../support/proxy';
import { openSandbox } from '../support/sandbox';
import { Capture, environmentOf, messaging, outcomeOf, startProcess } from './support';

const KEY = 'canary-key';

let sandbox: Sandbox;
let other: Server;
/** The WSDL that `other` publishes; it publishes none while this is undefined. */
let published: string | undefined;
beforeEach(() => {
  published = undefined;
});
beforeAll(async () => {
  sandbox = await startSandbox({ apiKeys: [KEY] });
  // Forwards calls to the sandbox.
  other = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(published === undefined ? 404 : 200, { 'Content-Type': 'text/xml' }).end(published);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { 'content-type': type = '', soapaction = '' } = request.headers;
      const headers = { 'Content-Type': type, SOAPAction: String(soapaction) };
      const forwarded = await fetch(`${sandbox.baseUrl}/soap/v1.asmx`, {
        method: 'POST',
        headers,
        body: Buffer.concat(chunks),
      });
      response.writeHead(forwarded.status, { 'Content-Type': String(forwarded.headers.get('content-type')) });
      response.end(await forwarded.text());
    });
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => other.close(resolve));
  await sandbox.close();
});

test('the call of doctor is limited to 10 seconds like each other step, unless --timeout-ms is set', async () => {
  const call = jest.spyOn(MessagingClient.prototype, 'remainCredit').mockResolvedValue(5n);
  const environment = { ...environmentOf(sandbox), MESSAGING_API_KEY: KEY };
  await messaging(['doctor'], { environment });
  await messaging(['doctor', '--timeout-ms', '60000'], { environment });
  expect(call.mock.calls.map(([, options]) => options?.timeoutMs)).toEqual([10_000, undefined]);
  call.mockRestore();
});

interface Row {
  readonly step: string;
  readonly result: string;
  readonly detail: string;
}

async function examine(environment: NodeJS.ProcessEnv): Promise<{ code: number; rows: Row[]; stderr: string }> {
  const { code, stdout, stderr } = await messaging(['doctor', '--output', 'json'], {
    environment: { ...environmentOf(sandbox), ...environment },
  });
  expect(stdout + stderr).not.toContain(KEY);
  return { code, rows: stdout === '' ? [] : JSON.parse(stdout), stderr };
}

test('without settings, doctor prints the step that fails, and names setup', async () => {
  const { code, stdout, stderr } = await messaging(['doctor'], { environment: {} });
  expect(stdout).toMatch(
    /^step,result,detail\r\nsettings,failed,"missing: --base-url .*; `messaging setup` asks for them"\r\n$/,
  );
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
});

test('for a service that works, doctor reports each step as ok, or as skipped with the reason', async () => {
  expect(await examine({})).toEqual({
    code: 0,
    stderr: '',
    rows: [
      { step: 'settings', result: 'ok', detail: 'complete and valid' },
      { step: 'DNS', result: 'skipped', detail: 'the base URL has an address' },
      { step: 'TCP', result: 'ok', detail: `port ${new URL(sandbox.baseUrl).port} of 127.0.0.1 is open` },
      { step: 'TLS', result: 'skipped', detail: 'the base URL is http' },
      { step: 'WSDL', result: 'ok', detail: 'namespace http://messaging.example/' },
      { step: 'RemainCredit', result: 'ok', detail: expect.stringMatching(/^credit \d+$/) },
    ],
  });
});

test('doctor resolves the name of the host', async () => {
  const { code, rows } = await examine({ MESSAGING_BASE_URL: sandbox.baseUrl.replace('127.0.0.1', 'localhost') });
  expect(rows[1]).toMatchObject({ step: 'DNS', result: 'ok', detail: expect.stringContaining('127.0.0.1') });
  expect(code).toBe(0);
});

test('doctor skips the WSDL of a service that publishes none, and makes the call', async () => {
  const { port } = other.address() as AddressInfo;
  const { code, rows } = await examine({ MESSAGING_BASE_URL: `http://127.0.0.1:${port}` });
  expect(rows[4]).toMatchObject({ step: 'WSDL', result: 'skipped', detail: expect.stringMatching(/HTTP status 404$/) });
  expect(rows[5]).toMatchObject({ result: 'ok' });
  expect(code).toBe(0);
});

test('doctor checks the way to the proxy, and fetches the WSDL and calls through it', async () => {
  const proxy = await startProxy();
  const { code, rows } = await examine({ MESSAGING_PROXY: proxy.service.baseUrl });
  expect(rows.map(({ step, result }) => `${step} ${result}`)).toEqual([
    ...['settings ok', 'DNS skipped', 'TCP ok', 'TLS skipped', 'WSDL ok', 'RemainCredit ok'],
  ]);
  expect(rows[2]?.detail).toBe(`port ${proxy.service.port} of 127.0.0.1 is open`);
  const connect = `CONNECT ${new URL(sandbox.baseUrl).host} HTTP/1.1`;
  expect(proxy.asked.map(({ requestLine }) => requestLine)).toEqual([connect, connect]);
  expect(code).toBe(0);
});

test('when no proxy listens, doctor advises to check --proxy', async () => {
  const { code, rows } = await examine({ MESSAGING_PROXY: 'http://127.0.0.1:1' });
  expect(rows.at(-1)?.detail).toMatch(/ECONNREFUSED\): check the port in --proxy, and that the proxy runs$/);
  expect(code).toBe(5);
});

// A process of its own: Node reads further authorities when it starts.
const examineTls = async (certificate: string, authority: string): Promise<{ code: number; row: Row }> => {
  const tls = { cert: pem(`${certificate}.pem`), key: pem(`${certificate}.key`) };
  const secure = await startSandbox({ tls });
  try {
    const environment = {
      ...environmentOf(secure),
      NODE_EXTRA_CA_CERTS: join(ROOT, 'test/fixtures/tls', authority),
    };
    const { code, stdout } = await outcomeOf(startProcess(['doctor', '--output', 'json'], environment));
    return { code, row: (JSON.parse(stdout) as Row[])[3] as Row };
  } finally {
    await secure.close();
  }
};

test('doctor shows the version of TLS that was agreed on', async () => {
  const { code, row } = await examineTls('server', 'authority.pem');
  expect(row).toEqual({ step: 'TLS', result: 'ok', detail: 'TLSv1.3, certificate accepted' });
  expect(code).toBe(0);
});

test('every command trusts the authority that --ca-file, a variable or a profile names, also through a proxy', async () => {
  const secure = await startSandbox({ tls: { cert: pem('server.pem'), key: pem('server.key') } });
  const proxy = await startProxy();
  const home = makeFolder();
  cleanUp(async () => {
    await secure.close();
  });
  mkdirSync(join(home, 'messaging'));
  copyFileSync(join(ROOT, 'test/fixtures/tls/authority.pem'), join(home, 'messaging/authority.pem'));
  writeFileSync(join(home, 'messaging/config.json'), '{"profiles":{"default":{"caFile":"authority.pem"}}}');
  const authority = join(home, 'messaging/authority.pem');
  for (const [args, more] of [
    [['--ca-file', authority], {}],
    [[], { MESSAGING_CA_FILE: authority }],
    [[], { XDG_CONFIG_HOME: home }],
    [[], { XDG_CONFIG_HOME: home, MESSAGING_PROXY: proxy.service.baseUrl }],
  ] as const) {
    const environment = { ...environmentOf(secure), ...more };
    const { code, stdout } = await messaging(['doctor', '--output', 'json', ...args], { environment });
    expect((JSON.parse(stdout) as Row[])[3]).toMatchObject({ result: 'ok', detail: 'TLSv1.3, certificate accepted' });
    expect(code).toBe(0);
    expect(await messaging(['contract', 'diff', ...args], { environment })).toMatchObject({ code: 0 });
  }
});

const CA_FILE = "--ca-file names the file of your provider's certificate authority";

test.each([['remain-credit'], ['contract', 'diff']])(
  'when the certificate is refused, messaging %s names --ca-file',
  async (...args) => {
    const secure = await openSandbox({ tls: { cert: pem('server.pem'), key: pem('server.key') } });
    const outcome = await messaging(args, { environment: environmentOf(secure) });
    expect(outcome).toMatchObject({ code: 5, stderr: expect.stringContaining(CA_FILE) });
  },
);

test('when the certificate is refused, messaging track names --ca-file at its end', async () => {
  const refused = gate();
  const server = createTlsServer({ cert: pem('server.pem'), key: pem('server.key') });
  server.on('connection', (socket) => socket.on('close', refused.open));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(() => server.close());
  const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = environmentOf({ baseUrl, namespace: 'urn:test', apiKey: 'key' });
  const clock = holdClock();
  const tracking = messaging(['track', '1', '--final-statuses', '1', '--within', '200ms'], { environment });
  await refused.opened;
  await clock.advanceUntilSettled(tracking, 100);
  expect(await tracking).toMatchObject({ code: 5, stderr: expect.stringContaining(CA_FILE) });
});

test.each([
  ['provider', 'authority.pem', /ERR_TLS_CERT_ALTNAME_INVALID\): the certificate is for another name; use this name/],
  ['server', 'client.pem', /: the certificate is not accepted; --ca-file names the file of/],
])(
  'for the certificate of %s and the authority %s, doctor gives advice about the certificate',
  async (certificate, authority, detail) => {
    const { code, row } = await examineTls(certificate, authority);
    expect(row).toEqual({ step: 'TLS', result: 'failed', detail: expect.stringMatching(detail) });
    expect(code).toBe(5);
  },
);

test.each([
  ['MESSAGING_BASE_URL', (): string => `${sandbox.baseUrl}/${KEY}`],
  ['MESSAGING_BASE_URL', (): string => `http://${KEY}.invalid`],
  ['MESSAGING_NAMESPACE', (): string => `http://${KEY}/`],
])('doctor masks an API key that is in %s by mistake (%#)', async (variable, value) => {
  // examine looks for the key in all that is printed.
  const { rows } = await examine({ [variable]: value() });
  expect(rows.map(({ detail }) => detail).join()).toContain('***');
});

test('doctor names each address of a host that refuses, with its reason', async () => {
  const found = ['127.0.0.2', '127.0.0.3'].map((address) => ({ address, family: 4 }));
  const answer = (_name: string, _options: object, callback: (error: null, found: object) => void) =>
    callback(null, found);
  jest.spyOn(dns, 'lookup').mockImplementation(answer as unknown as typeof dns.lookup);
  jest.spyOn(dns.promises, 'lookup').mockResolvedValue(found as never);
  cleanUp(() => jest.restoreAllMocks());
  const { rows } = await examine({ MESSAGING_BASE_URL: 'http://provider.example:1' });
  expect(rows.at(-1)).toMatchObject({
    step: 'TCP',
    detail: expect.stringMatching(
      /\(connect ECONNREFUSED 127\.0\.0\.2:1; connect ECONNREFUSED 127\.0\.0\.3:1\): check the port/,
    ),
  });
});

test('doctor never advises to run doctor', async () => {
  const { code, rows } = await examine({ MESSAGING_BASE_URL: `${sandbox.baseUrl}/elsewhere` });
  expect(rows.at(-1)?.detail).toMatch(/HTTP status 404 .*; check the base URL; --base-url sets it$/);
  expect(code).toBe(4);
});

test('doctor names the settings that are missing, and its exit code is that of a call', async () => {
  const { code, rows, stderr } = await examine({ MESSAGING_NAMESPACE: '', MESSAGING_SUCCESS_STATUSES: '' });
  const detail = 'missing: --namespace (or MESSAGING_NAMESPACE), --success-statuses (or MESSAGING_SUCCESS_STATUSES)';
  expect({ code, stderr, rows }).toEqual({
    code: 2,
    stderr: '',
    rows: [{ step: 'settings', result: 'failed', detail }],
  });
});

test.each<[string, () => NodeJS.ProcessEnv, number, RegExp]>([
  [
    'DNS',
    () => ({ MESSAGING_BASE_URL: 'http://no-such-name.invalid' }),
    5,
    /^the name no-such-name\.invalid cannot be .*: check --base-url/,
  ],
  [
    'TCP',
    () => ({ MESSAGING_BASE_URL: 'http://127.0.0.1:1' }),
    5,
    /^no connection to port 1 of .*ECONNREFUSED.*: check the port/,
  ],
  [
    'TLS',
    () => ({ MESSAGING_BASE_URL: sandbox.baseUrl.replace('http', 'https') }),
    5,
    /^no TLS connection to .*base URL http\?$/,
  ],
  [
    'WSDL',
    () => ({ MESSAGING_NAMESPACE: 'http://messaging.example' }),
    2,
    /^the service's namespace is http:\/\/messaging\.example\/, not http:\/\/messaging\.example: set --namespace/,
  ],
  [
    'RemainCredit',
    () => ({ MESSAGING_API_KEY: 'wrong' }),
    3,
    /status 403 \(invalid apikey\); check the API key; [^;]*$/,
  ],
  [
    'RemainCredit',
    () => ({ MESSAGING_SUCCESS_STATUSES: '1' }),
    3,
    /status 200 .*; if your provider says that status 200 means success, add it/,
  ],
])(
  'when the step %s fails, doctor says what to do, and its exit code is that of a call (%#)',
  async (step, environment, exitCode, detail) => {
    const { code, rows, stderr } = await examine(environment());
    expect(rows.at(-1)).toEqual({ step, result: 'failed', detail: expect.stringMatching(detail) });
    expect(rows.slice(0, -1).map(({ result }) => result)).not.toContain('failed');
    expect({ code, stderr }).toEqual({ code: exitCode, stderr: '' });
  },
);

describe('doctor at a listener whose backlog is full', () => {
  let listener: FullListener;
  beforeAll(async () => {
    listener = await FullListener.start();
  });

  test('doctor ends a step after --timeout-ms at a listener whose backlog is full, also when the garbage collector runs', async () => {
    setFlagsFromString('--expose-gc');
    const collecting = setInterval(runInNewContext('gc') as () => void, 20);
    const environment = { ...environmentOf(sandbox), MESSAGING_BASE_URL: `http://127.0.0.1:${listener.port}` };
    const { code, stdout } = await messaging(['doctor', '--timeout-ms', '300', '--output', 'json'], { environment });
    clearInterval(collecting);
    expect((JSON.parse(stdout) as Row[]).at(-1)).toEqual({
      step: 'TCP',
      result: 'failed',
      detail: `no connection to port ${listener.port} of 127.0.0.1 (no response in time): check --base-url, firewall and route`,
    });
    expect(code).toBe(5);
  });

  test.each([
    ['table', 80, 'step          result   detail\nsettings      ok       complete and valid\nDNS           skipped  '],
    ['csv', 0, 'step,result,detail\r\nsettings,ok,complete and valid\r\nDNS,skipped,'],
    ['ndjson', 0, '{"step":"settings","result":"ok","detail":"complete and valid"}\n{"step":"DNS","result":"skipped",'],
  ])(
    'doctor prints each step as a row of a %s when the step ends, and not only at the end',
    async (format, columns, rows) => {
      const stdout = new Capture(columns);
      const signals = new EventEmitter();
      const environment = { ...environmentOf(sandbox), MESSAGING_BASE_URL: `http://127.0.0.1:${listener.port}` };
      const outcome = messaging(['doctor', '--timeout-ms', '0', '--output', format], { environment, signals, stdout });
      // The step after these rows never ends.
      while (!stdout.text.includes('DNS')) await sleep(5);
      expect(stdout.text.startsWith(rows)).toBe(true);
      signals.emit('SIGINT', 'SIGINT');
      expect(await outcome).toMatchObject({ code: 130, stderr: 'error: interrupted\n' });
    },
  );
});

test('doctor names what differs when the contract of the service breaks calls', async () => {
  const { port } = other.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  const wsdl = formatWsdl(sandbox.namespace, `${baseUrl}/soap/v1.asmx`);
  published = wsdl.replace(/(name="pagesize" type=")[^"]*"/, '$1xsd:short"');
  expect(published).not.toBe(wsdl);
  const { code, rows } = await examine({ MESSAGING_BASE_URL: baseUrl });
  expect(rows.at(-1)).toMatchObject({ step: 'WSDL', result: 'failed' });
  const { detail } = rows.at(-1) as Row;
  expect(detail).toMatch(/^the service's contract differs: .* explains each difference$/);
  expect(detail).toContain('element pagesize: xsd:int -> xsd:short');
  expect(code).toBe(7);
});
