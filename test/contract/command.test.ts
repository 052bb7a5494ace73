import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { operations } from '../../generated/operations';
import { startSandbox } from '../../src/sandbox';
import { environmentOf, messaging } from '../cli/support';
import { makeFolder } from '../support/folder';
import { startProxy } from '../support/proxy';
import { addOperation, change, credential, documented, element, root, wsdl } from './wsdl';

let folder: string;
let server: Server | undefined;

beforeEach(() => {
  folder = makeFolder();
});
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
});

function write(text: string): string {
  const path = join(folder, 'their.wsdl');
  writeFileSync(path, text);
  return path;
}

async function serve(status: number, body: string, requests: IncomingMessage[] = []): Promise<string> {
  server = createServer((request, response) => {
    requests.push(request);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const pagesize = documented('pagesize', 'xsd:int');

test('contract diff finds no difference in a service with our contract and another namespace and address', async () => {
  const sandbox = await startSandbox({ namespace: 'urn:my service#'.replace(' ', '-') });
  try {
    const { code, stdout, stderr } = await messaging(['contract', 'diff'], { environment: environmentOf(sandbox) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      `${sandbox.baseUrl}/soap/v1.asmx?wsdl: no difference\n\nSettings for this service:\n` +
        `  MESSAGING_NAMESPACE='urn:my-service#'\n  MESSAGING_BASE_URL=${sandbox.baseUrl}\n`,
    );
  } finally {
    await sandbox.close();
  }
});

test('contract diff prints a line for each difference with what it breaks, why, and for which methods, and exits with 7', async () => {
  const path = write(
    change('name="cost" type="xsd:int"', 'name="cost" type="xsd:long"', change(pagesize, element('count', 'xsd:int'))),
  );
  const { code, stdout, stderr } = await messaging(['contract', 'diff', path]);
  expect(code).toBe(7);
  expect(stdout.split('\n').slice(0, 4)).toEqual([
    `${path}: 3 differences, 2 break requests, 1 breaks responses, 3 break callers`,
    expect.stringMatching(
      /^breaks responses {15}record ApiSelect, element cost: xsd:int -> xsd:long; the client refuses values that the service may send \[selectOutbox, select, selectLatest\b/,
    ),
    'breaks requests                request of SelectlatestByApikey, element pagesize: xsd:int -> none; the service does not know the element, and drops it or refuses the request [selectLatest]',
    'breaks requests                request of SelectlatestByApikey, element count: none -> xsd:int; the service needs the element, and the client does not send it [selectLatest]',
  ]);
  expect(stderr).toBe(`error: ${path} breaks requests or responses\n`);
});

test('contract diff exits with 0 when a new optional element breaks callers only', async () => {
  const path = write(change(pagesize, pagesize + element('tag', 'xsd:string', 'minOccurs="0"')));
  const { code, stdout } = await messaging(['contract', 'diff', path]);
  expect(code).toBe(0);
  expect(stdout).toContain(
    'breaks callers                 request of SelectlatestByApikey, element tag: none -> xsd:string, optional; the service takes requests without it; once generated, calls have to give a value, or null to leave it out [selectLatest]\n',
  );
});

test('contract diff --output json prints one document with all differences', async () => {
  const text = addOperation('Ping', credential, element('PingResult', 'xsd:long'), '', withoutSendAdvance());
  const { code, stdout } = await messaging(['contract', 'diff', write(text), '--output', 'json']);
  expect(code).toBe(7);
  expect(JSON.parse(stdout)).toEqual({
    source: join(folder, 'their.wsdl'),
    breaking: true,
    settings: { namespace: 'http://messaging.example/', baseUrl: 'http://provider.example' },
    differences: [
      {
        where: 'operation SendAdvance',
        before: 'an operation',
        after: 'none',
        requests: 'breaking',
        responses: 'breaking',
        callers: 'breaking',
        why: 'the service does not know it: each call fails',
        operations: ['SendAdvance'],
        methods: ['sendAdvance'],
      },
      {
        where: 'operation Ping',
        before: 'none',
        after: 'an operation',
        requests: 'compatible',
        responses: 'compatible',
        callers: 'compatible',
        why: 'nothing calls it yet',
        operations: ['Ping'],
        methods: [],
      },
    ],
  });
});

test('contract diff --output json escapes characters that a terminal would act on', async () => {
  const path = write(wsdl.replaceAll('"http://messaging.example/', '"urn:&#x9b;31m'));
  const { stdout } = await messaging(['contract', 'diff', path, '--output', 'json']);
  expect(stdout).toContain('urn:\\u009b31m');
  expect(stdout).not.toContain('\x9b');
});

test('contract diff says in the first line which import was not followed', async () => {
  const text = change('<!-- Records', '<xsd:include schemaLocation="types.xsd"/><!-- Records');
  const skipped = /^\S+their\.wsdl:\d+: xsd:include of types\.xsd is not followed: put its content into this file\n/;
  const { code, stderr } = await messaging(['contract', 'diff', write(text)]);
  expect(code).toBe(0);
  expect(stderr).toMatch(skipped);
  const broken = text.replaceAll(/tns:ArrayOf/g, 'tns:Missing');
  const refusal = await messaging(['contract', 'diff', write(broken)]);
  expect(refusal.code).toBe(2);
  expect(refusal.stderr).toMatch(skipped);
});

function withoutSendAdvance(): string {
  return wsdl.replaceAll(/ *<wsdl:operation name="SendAdvance">[\s\S]*?<\/wsdl:operation>\n/g, '');
}

test('contract diff prints a line for each difference as csv and ndjson', async () => {
  const path = write(change(pagesize, pagesize + element('tag', 'xsd:string', 'minOccurs="0"')));
  const csv = await messaging(['contract', 'diff', path, '--output', 'csv']);
  expect(csv.stdout).toBe(
    'requests,responses,callers,where,before,after,why,operations,methods,field\r\n' +
      'compatible,compatible,breaking,"request of SelectlatestByApikey, element tag",none,"xsd:string, optional",' +
      '"the service takes requests without it; once generated, calls have to give a value, or null to leave it out",' +
      'SelectlatestByApikey,selectLatest,tag\r\n',
  );
  const ndjson = await messaging(['contract', 'diff', path, '--output', 'ndjson']);
  expect(JSON.parse(ndjson.stdout)).toMatchObject({ callers: 'breaking', methods: ['selectLatest'], field: 'tag' });
});

test('contract diff proposes the base URL from which the WSDL was fetched when the WSDL names another one', async () => {
  const text = wsdl.replaceAll('http://provider.example/soap', 'http://internal.example:8080/sms/soap');
  server = createServer((_request, response) => response.end(text));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { stdout } = await messaging(['contract', 'diff', `${origin}/api/soap/v1.asmx?wsdl`]);
  expect(stdout).toContain(
    '  # the address where the WSDL was fetched; the address that the WSDL names is http://internal.example:8080/sms\n' +
      `  MESSAGING_BASE_URL=${origin}/api\n`,
  );
  const secure = text.replaceAll('http://internal.example:8080', 'https://provider.example');
  server.removeAllListeners('request').on('request', (_request, response) => response.end(secure));
  const { stdout: safer } = await messaging(['contract', 'diff', `${origin}/api/soap/v1.asmx?wsdl`]);
  expect(safer).toContain(
    `  # the address that the WSDL names; the address where the WSDL was fetched is ${origin}/api\n` +
      '  MESSAGING_BASE_URL=https://provider.example/sms\n',
  );
});

test('contract diff remarks that a WSDL names another host than the one from which it was fetched', async () => {
  const origin = await serve(200, wsdl);
  const { stdout } = await messaging(['contract', 'diff', `${origin}/files/service.wsdl`]);
  expect(stdout).toContain(
    `  # the WSDL was fetched from ${new URL(origin).host}, and names another host: ask your provider which one is right\n` +
      '  MESSAGING_BASE_URL=http://provider.example\n',
  );
  const own = wsdl.replaceAll('http://provider.example', origin);
  server?.removeAllListeners('request').on('request', (_request, response) => response.end(own));
  expect((await messaging(['contract', 'diff', `${origin}/files/service.wsdl`])).stdout).not.toContain('another host');
});

test("contract diff finds our ten operations unchanged in a provider's WSDL of 25 operations", async () => {
  const file = join(root, 'test/fixtures/contract/provider.wsdl');
  const { code, stdout } = await messaging(['contract', 'diff', file]);
  const provider = readFileSync(file, 'utf8');
  // An operation that our contract has gained since is none of the ten.
  const gained = Object.keys(operations).filter((name) => !provider.includes(`<wsdl:operation name="${name}"`));
  const lines = stdout.split('\n').filter((line) => !gained.some((name) => line.includes(`operation ${name}:`)));
  expect(code).toBe(gained.length === 0 ? 0 : 7);
  expect(lines.filter((line) => line.startsWith('compatible '))).toHaveLength(15);
  expect(lines.filter((line) => line.startsWith('breaks '))).toEqual([]);
  expect(stdout).toContain(
    '\n  MESSAGING_NAMESPACE=http://provider.example/\n  MESSAGING_BASE_URL=http://api.provider.example\n',
  );
});

test('contract diff says when no base URL leads to the address of a service', async () => {
  const { code, stdout } = await messaging([
    'contract',
    'diff',
    write(wsdl.replaceAll('/soap/v1.asmx', '/soap/v2.asmx')),
  ]);
  expect(code).toBe(7);
  expect(stdout).toContain(
    'breaks requests                address: {baseUrl}/soap/v1.asmx -> http://provider.example/soap/v2.asmx;',
  );
  expect(stdout).toContain('\n  # no base URL leads to the address of this service\n');
});

test('the request of contract diff has no API key', async () => {
  const requests: IncomingMessage[] = [];
  const baseUrl = await serve(200, wsdl, requests);
  const environment = {
    MESSAGING_BASE_URL: baseUrl,
    MESSAGING_API_KEY: 'secret-key',
    MESSAGING_SUCCESS_STATUSES: '200',
  };
  const { code } = await messaging(['contract', 'diff', '--timeout-ms', '20000'], { environment });
  expect(code).toBe(0);
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /soap/v1.asmx?wsdl']);
  expect(JSON.stringify(requests[0]?.rawHeaders)).not.toContain('secret-key');
});

test.each([
  ['of the configured service', (baseUrl: string) => ['--base-url', baseUrl]],
  ['at an address', (baseUrl: string) => [`${baseUrl}/soap/v1.asmx?wsdl`]],
])('contract diff fetches the WSDL %s through the proxy of the settings', async (_what, source) => {
  const { service: proxy, asked } = await startProxy();
  const baseUrl = await serve(200, wsdl);
  const environment = { MESSAGING_PROXY: proxy.baseUrl };
  expect(await messaging(['contract', 'diff', ...source(baseUrl)], { environment })).toMatchObject({ code: 0 });
  await messaging(['contract', 'diff', ...source(baseUrl), '--proxy', proxy.baseUrl]);
  const connect = `CONNECT ${new URL(baseUrl).host} HTTP/1.1`;
  expect(asked.map(({ requestLine }) => requestLine)).toEqual([connect, connect]);
});

test('contract diff prints neither the password nor the query of an address, and ends with 130 when it is interrupted', async () => {
  const address = (await serve(200, wsdl)).replace('//', '//user:secret@');
  const { code, stdout } = await messaging(['contract', 'diff', address]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+: no difference/);
  for (const output of ['table', 'json'])
    expect(
      (await messaging(['contract', 'diff', `${address}/?wsdl&k=secret`, '--output', output])).stdout,
    ).not.toContain('secret');

  const signals = new EventEmitter();
  server?.removeAllListeners('request').on('request', () => signals.emit('SIGINT', 'SIGINT'));
  const { code: interrupted, stderr } = await messaging(['contract', 'diff', address], { signals });
  expect({ interrupted, stderr }).toEqual({ interrupted: 130, stderr: 'error: interrupted\n' });
});

test('contract diff escapes characters of the service that a terminal would act on', async () => {
  const { stdout } = await messaging([
    'contract',
    'diff',
    write(
      change(
        'type="xsd:short"',
        'type="tns:K"',
        change(
          '</xsd:schema>',
          '<xsd:simpleType name="K"><xsd:restriction base="xsd:string"><xsd:enumeration value="&#x9b;2J&#x202e;"/></xsd:restriction></xsd:simpleType></xsd:schema>',
        ),
      ),
    ),
  ]);
  expect(stdout).toContain('xsd:short -> one of \\x9b2J\\u202e;');
});

test('contract diff names no method for an operation that has the name of a property of each object', async () => {
  const path = write(addOperation('toString', credential, element('toStringResult', 'xsd:int')));
  const { stdout } = await messaging(['contract', 'diff', path]);
  expect(stdout).toMatch(/^compatible +operation toString: none -> an operation; nothing calls it yet$/m);
});

const failures: readonly (readonly [string, (place: string) => Promise<string[]>, number, RegExp])[] = [
  ['a missing file', async (place) => [join(place, 'none')], 2, /^error: ENOENT: no such file/],
  [
    'a file that is not a WSDL',
    async () => [join(root, 'package.json')],
    2,
    /package\.json:\d+: not well-formed XML.*\nerror: .*package\.json is not a WSDL that can be compared\n$/,
  ],
  [
    'a WSDL that is broken',
    async () => [write(change('tns:ArrayOfApiReceive', 'tns:Nothing'))],
    2,
    /their\.wsdl:\d+: complexType Nothing is not defined/,
  ],
  [
    'an address that gives a web page',
    async () => [await serve(200, '<html/>')],
    2,
    /:1: the root element is html, not wsdl:definitions: give a WSDL 1\.1 document\nerror: (http:\S+) is not a WSDL that can be compared; try \1\?wsdl\n$/,
  ],
  [
    'an address with a password that gives a web page',
    async () => [(await serve(200, '<html/>')).replace('//', '//user:secret@')],
    2,
    /^(?!.*secret)/s,
  ],
  ['an address that is not a URL', async () => ['http://user:secret@['], 2, /^error: http:\/\/\[: not a URL\n$/],
  [
    'an address that gives an error',
    async () => [await serve(404, 'no')],
    6,
    /^error: no WSDL to compare: http:\/\/127\.0\.0\.1:\d+\/: the response has HTTP status 404\n$/,
  ],
  [
    'an address at which no program listens',
    async () => ['http://127.0.0.1:1/'],
    5,
    /^error: no WSDL to compare: http:\/\/127\.0\.0\.1:1\/: connect ECONNREFUSED/,
  ],
  [
    'a call with neither a source nor a base URL',
    async () => [],
    2,
    /^error: missing: --base-url \(or MESSAGING_BASE_URL\)/,
  ],
  ['an unknown format', async () => [write(wsdl), '--output', 'xml'], 2, /Allowed choices are table, json/],
  ['a base URL that is not a URL', async () => ['--base-url', 'nonsense'], 2, /--base-url/],
];

test.each(failures)(
  'contract diff ends with an error and its exit code for %s',
  async (_what, source, exitCode, message) => {
    const { code, stdout, stderr } = await messaging(['contract', 'diff', ...(await source(folder))]);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toMatch(message);
  },
);

test('contract diff prints the first twenty of many problems', async () => {
  const text = wsdl.replaceAll('type="xsd:int"', 'type="x:int"');
  const { code, stderr } = await messaging(['contract', 'diff', write(text)]);
  expect(code).toBe(2);
  expect(stderr.trimEnd().split('\n')).toHaveLength(21);
  expect(stderr).toMatch(/is not a WSDL that can be compared \(\d+ more problems\)\n$/);
});

test('contract diff says "1 more problem" when one problem is not printed', async () => {
  const lost = Array.from({ length: 21 }, (_, index) => element(`e${index}`, 'tns:Nothing')).join('\n');
  const { stderr } = await messaging(['contract', 'diff', write(change(pagesize, pagesize + lost))]);
  expect(stderr).toMatch(/is not a WSDL that can be compared \(1 more problem\)\n$/);
});
