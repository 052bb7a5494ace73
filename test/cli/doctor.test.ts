import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../src/sandbox';
import { pem } from '../support/fixtures';
import { ROOT } from '../support/process';
import { environmentOf, messaging, outcomeOf, startProcess } from './support';

const KEY = 'canary-key';

let sandbox: Sandbox;
let other: Server;
beforeAll(async () => {
  sandbox = await startSandbox({ apiKeys: [KEY] });
  // Passes calls on, and publishes no WSDL.
  other = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(404).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { 'content-type': type = '', soapaction = '' } = request.headers;
      const headers = { 'Content-Type': type, SOAPAction: String(soapaction) };
      const answer = await fetch(`${sandbox.baseUrl}/soap/v1.asmx`, {
        method: 'POST',
        headers,
        body: Buffer.concat(chunks),
      });
      response.writeHead(answer.status, { 'Content-Type': String(answer.headers.get('content-type')) });
      response.end(await answer.text());
    });
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => other.close(resolve));
  await sandbox.close();
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

test('every step of a service that works is ok, or skipped with the reason', async () => {
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

test('a name is resolved', async () => {
  const { code, rows } = await examine({ MESSAGING_BASE_URL: sandbox.baseUrl.replace('127.0.0.1', 'localhost') });
  expect(rows[1]).toMatchObject({ step: 'DNS', result: 'ok', detail: expect.stringContaining('127.0.0.1') });
  expect(code).toBe(0);
});

test('a service that publishes no WSDL is examined all the same', async () => {
  const { port } = other.address() as AddressInfo;
  const { code, rows } = await examine({ MESSAGING_BASE_URL: `http://127.0.0.1:${port}` });
  expect(rows[4]).toMatchObject({ step: 'WSDL', result: 'skipped', detail: expect.stringMatching(/HTTP status 404$/) });
  expect(rows[5]).toMatchObject({ result: 'ok' });
  expect(code).toBe(0);
});

describe('TLS', () => {
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

  test('the version that was agreed on is shown', async () => {
    const { code, row } = await examineTls('server', 'authority.pem');
    expect(row).toEqual({ step: 'TLS', result: 'ok', detail: 'TLSv1.3, certificate accepted' });
    expect(code).toBe(0);
  });

  test.each([
    ['provider', 'authority.pem', /ERR_TLS_CERT_ALTNAME_INVALID\): the certificate is for another name; use that name/],
    ['server', 'client.pem', /: the certificate is not accepted; NODE_EXTRA_CA_CERTS=/],
  ])('a certificate of %s with authority %s fails with advice that fits', async (certificate, authority, detail) => {
    const { code, row } = await examineTls(certificate, authority);
    expect(row).toEqual({ step: 'TLS', result: 'failed', detail: expect.stringMatching(detail) });
    expect(code).toBe(5);
  });
});

test.each([
  ['MESSAGING_BASE_URL', (): string => `${sandbox.baseUrl}/${KEY}`],
  ['MESSAGING_BASE_URL', (): string => `http://${KEY}.invalid`],
  ['MESSAGING_NAMESPACE', (): string => `http://${KEY}/`],
])('a key that stands in %s is masked (%#)', async (variable, value) => {
  // examine looks for the key in all that is printed.
  const { rows } = await examine({ [variable]: value() });
  expect(rows.map(({ detail }) => detail).join()).toContain('***');
});

test('the advice is never to run doctor', async () => {
  const { code, rows } = await examine({ MESSAGING_BASE_URL: `${sandbox.baseUrl}/elsewhere` });
  expect(rows.at(-1)?.detail).toMatch(/HTTP status 404 .*; is --base-url right\?$/);
  expect(code).toBe(4);
});

describe('of the first step that fails it says what to do; the exit code is that of a call', () => {
  test('settings', async () => {
    const { code, rows, stderr } = await examine({ MESSAGING_NAMESPACE: '', MESSAGING_SUCCESS_STATUSES: '' });
    expect(stderr).toBe(
      'error: missing: --namespace (or MESSAGING_NAMESPACE), --success-statuses (or MESSAGING_SUCCESS_STATUSES)\n',
    );
    expect({ code, rows }).toEqual({ code: 2, rows: [] });
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
    ['RemainCredit', () => ({ MESSAGING_API_KEY: 'wrong' }), 3, /status 403 \(invalid apikey\)/],
    ['RemainCredit', () => ({ MESSAGING_SUCCESS_STATUSES: '1' }), 3, /status 200 .*if 200 means success, add it/],
  ])('%s', async (step, environment, exitCode, detail) => {
    const { code, rows, stderr } = await examine(environment());
    expect(rows.at(-1)).toEqual({ step, result: 'failed', detail: expect.stringMatching(detail) });
    expect(rows.slice(0, -1).map(({ result }) => result)).not.toContain('failed');
    expect({ code, stderr }).toEqual({ code: exitCode, stderr: '' });
  });
});
