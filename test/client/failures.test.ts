import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import {
  AbortError,
  ConfigurationError,
  ConnectionError,
  FaultError,
  HttpError,
  MessagingClient,
  MessagingError,
  type MessagingOptions,
  RequestError,
  ResponseError,
  StatusError,
  TimeoutError,
} from '../../src';
import { environmentOf, messaging } from '../cli/support';
import { API_KEY, clientOf, invoke } from '../support/client';
import { SAMPLES } from '../support/contract';
import { credit, envelope, faultOf, NAMESPACE, responseOf, sentRecord, VERSIONS } from '../support/envelopes';
import { pem, responseFixture } from '../support/fixtures';
import { type HttpResponse, httpResponse } from '../support/http-response';
import { callWithoutResponse, errorOf, failureOf } from '../support/outcomes';
import { ROOT } from '../support/process';
import { RawServer, serve } from '../support/raw-server';
import { openSandbox } from '../support/sandbox';

// Each way in which a call fails, with all that its caller learns: one row, one failure.

type Row = readonly [
  title: string,
  fail: () => Promise<unknown>,
  type: abstract new (...args: never[]) => MessagingError,
  /** All fields of the error but the operation. Of its headers, those that the row has. */
  fields: { readonly outcome: string; readonly [name: string]: unknown },
  /** The message without the operation; a pattern where a library chooses the words. */
  message: string | RegExp,
];

const notSent = { outcome: 'not-sent' };
const rejected = { outcome: 'rejected' };
const unknown = { outcome: 'unknown' };

const simple = SAMPLES.SendSimpleByApikey;
const ESCAPED_KEY = 'key &amp; &lt;secret&gt;';
const nowhere = { baseUrl: 'http://127.0.0.1:1' };
const required = { baseUrl: 'http://provider.example', namespace: NAMESPACE, apiKey: '5f3a8c', successStatuses: [200] };

type Options = Partial<MessagingOptions<Record<never, never>>>;

const remainCredit = (client: MessagingClient): Promise<unknown> => client.remainCredit();

/** A call to which the service responds in this way. */
const to =
  (response: HttpResponse | string | Buffer, call = remainCredit, options: Options = {}) =>
  async () =>
    call(clientOf(await serve(response), options));

const given = (options: object) => async () => new MessagingClient({ ...required, ...options } as MessagingOptions);

const wrongOptions: Row[] = (
  [
    ['no API key', { apiKey: '' }, 'missing', 'apiKey'],
    [
      'an API key with a line break',
      { apiKey: '5f3a8c\n' },
      'white space before or after the key, such as the line break of a file: trim it',
      'apiKey',
    ],
    [
      'a base URL with the path of the endpoint',
      { baseUrl: 'http://127.0.0.1:8080/soap/v1.asmx' },
      'the client adds /soap/v1.asmx itself: write "http://127.0.0.1:8080" in place of "http://127.0.0.1:8080/soap/v1.asmx"',
      'baseUrl',
    ],
    [
      'a base URL with the path of the endpoint and a query, which may hold a key',
      { baseUrl: 'http://127.0.0.1:8080/soap/v1.asmx?k=SECRET' },
      'the client adds /soap/v1.asmx itself: write "http://127.0.0.1:8080" in place of "http://127.0.0.1:8080/soap/v1.asmx?k=***"',
      'baseUrl',
    ],
    [
      'a base URL without http and with a query, which may hold a key',
      { baseUrl: 'localhost:8080/?k=SECRET' },
      'neither an http nor an https URL: write "http://localhost:8080/?k=***"',
      'baseUrl',
    ],
    ['a base URL that is none', { baseUrl: '127.0.0.1' }, 'not a URL', 'baseUrl'],
    [
      'a base URL without http',
      { baseUrl: 'localhost:8080' },
      'neither an http nor an https URL: write "http://localhost:8080"',
      'baseUrl',
    ],
  ] as const
).map(([title, options, message, option]): Row => {
  const variable = option === 'apiKey' ? 'MESSAGING_API_KEY' : 'MESSAGING_BASE_URL';
  const problems = [{ option, message, variable }];
  return [title, given(options), ConfigurationError, { ...notSent, problems }, `${option} (${variable}): ${message}`];
});

const known =
  'no such option (options: baseUrl, namespace, apiKey, successStatuses, finalStatuses, soapVersion, timeoutMs, ' +
  'connectTimeoutMs, idleTimeoutMs, defaults, maxResponseBytes, retries, maxConnections, keepAlive, proxy, tls, headers)';
const unknownOptions: Row = [
  'unknown options',
  given({ timeout: 1, maxRetries: 1 }),
  ConfigurationError,
  {
    ...notSent,
    problems: [
      { option: 'timeout', message: 'no such option' },
      { option: 'maxRetries', message: known },
    ],
  },
  `timeout: no such option; maxRetries: ${known}`,
];

const wrongRequests: Row[] = (
  [
    [
      'a field that is missing',
      { msgmode: undefined },
      "msgmode is missing: give it in the request or in the client's defaults",
      'msgmode',
      [{ field: 'msgmode', message: 'missing' }],
    ],
    [
      'several fields that are missing',
      { receptor: undefined, unixdate: undefined },
      "receptor, unixdate are missing: give them in the request or in the client's defaults",
      'receptor',
      [
        { field: 'receptor', message: 'missing' },
        { field: 'unixdate', message: 'missing' },
      ],
    ],
    [
      'unknown fields',
      { unixDate: 0, verbose: 1 },
      'unknown field unixDate, verbose (fields: sender, message, receptor, unixdate, msgmode, status, statusmessage)',
      'unixDate',
      [
        { field: 'unixDate', message: 'unknown field' },
        { field: 'verbose', message: 'unknown field' },
      ],
    ],
    [
      'a character that XML cannot carry',
      { receptor: ['ab\x01'] },
      'receptor[0]: XML 1.0 cannot carry U+0001, at index 2',
      'receptor[0]',
      [{ field: 'receptor', index: 0, message: 'XML 1.0 cannot carry U+0001, at index 2' }],
    ],
    [
      'values of a wrong type',
      { sender: 1, receptor: [1, '1', 2], unixdate: '0', msgmode: 1.5 },
      'sender: a string is needed, not a number; receptor[0]: a string is needed, not a number; ' +
        'receptor[2]: a string is needed, not a number; ' +
        'unixdate: an xsd:long (bigint or safe integer) is needed, not a string; ' +
        'msgmode: 1.5 is not a safe integer: give a whole number, as a bigint beyond 2^53',
      'sender',
      [
        { field: 'sender', message: 'a string is needed, not a number' },
        { field: 'receptor', index: 0, message: 'a string is needed, not a number' },
        { field: 'receptor', index: 2, message: 'a string is needed, not a number' },
        { field: 'unixdate', message: 'an xsd:long (bigint or safe integer) is needed, not a string' },
        { field: 'msgmode', message: '1.5 is not a safe integer: give a whole number, as a bigint beyond 2^53' },
      ],
    ],
    [
      'null for elements that the WSDL requires',
      { unixdate: null, msgmode: null },
      'unixdate: null leaves it out, and the WSDL requires it; msgmode: null leaves it out, and the WSDL requires it',
      'unixdate',
      [
        { field: 'unixdate', message: 'null leaves it out, and the WSDL requires it' },
        { field: 'msgmode', message: 'null leaves it out, and the WSDL requires it' },
      ],
    ],
  ] as const
).map(([title, fields, message, field, problems]): Row => {
  const fail = () => invoke(clientOf(nowhere), 'SendSimpleByApikey', { ...simple, ...fields });
  return [title, fail, RequestError, { ...notSent, field, problems }, message];
});

const refusal = (result: string | undefined, statusmessage = 'no &amp; never') =>
  responseOf('RemainCreditByApiKey', result, { status: 418, statusmessage });

const latest = (client: MessagingClient): Promise<unknown> => client.selectLatest({ pagesize: 1 });
const refusedList = (records: string | undefined) =>
  responseOf('SelectlatestByApikey', records, { status: 403, statusmessage: '' });
const record = {
  ...{ messageid: 7n, message: 'text 7', status: 1, statustext: 'sent', sender: '3000', receptor: '09120000001' },
  ...{ date: 1700000000n, cost: 120 },
};

const statuses: Row[] = [
  [
    'a status that is not in successStatuses',
    to(refusal('9007199254740993')),
    StatusError,
    { ...rejected, status: 418, statusmessage: 'no & never', result: 9007199254740993n },
    'service returned status 418 (no & never)',
  ],
  [
    'a refusing status without a single long, which takes precedence over the missing result',
    to(refusal(undefined, '')),
    StatusError,
    { ...rejected, status: 418, statusmessage: '', result: undefined },
    'service returned status 418',
  ],
  [
    'a refusing status without a statusmessage',
    to(refusal('5').replace(/<statusmessage>.*<\/statusmessage>/, '')),
    StatusError,
    { ...rejected, status: 418, statusmessage: '', result: 5n },
    'service returned status 418',
  ],
  [
    'a statusmessage of several lines, with signs that a terminal would act on',
    to(refusal('5', 'denied\n2026-12-01 INFO forged&#x1b;[2J')),
    StatusError,
    { ...rejected, status: 418, statusmessage: 'denied\n2026-12-01 INFO forged\u001b[2J', result: 5n },
    'service returned status 418 (denied 2026-12-01 INFO forged [2J)',
  ],
  ...(
    [
      ['an absent list', undefined, []],
      ['an empty list', '', []],
      ['records', sentRecord(7), [record]],
    ] as const
  ).map(
    ([what, list, result]): Row => [
      `a refusing status with ${what}`,
      to(refusedList(list), latest),
      StatusError,
      { ...rejected, status: 403, statusmessage: '', result },
      'service returned status 403',
    ],
  ),
];

const faults: Row[] = [
  ...VERSIONS.flatMap((version) =>
    (
      [
        ['Client', rejected],
        ['Client.Authentication', rejected],
        ['Sender', rejected],
        ['VersionMismatch', rejected],
        ['MustUnderstand', rejected],
        ['Server', unknown],
        ['Receiver', unknown],
        ['Elsewhere', unknown],
      ] as const
    ).map(
      ([code, outcome]): Row => [
        `a SOAP ${version} fault ${code}`,
        to({ status: 500, body: faultOf(code, 'no &amp; never', '<a>why &lt;</a><b/>', version) }),
        FaultError,
        { ...outcome, code, reason: 'no & never', detail: '<a>why &lt;</a><b />', httpStatus: 500 },
        `service returned fault ${code} (no & never; why <)`,
      ],
    ),
  ),
  // A fault takes precedence over the HTTP status.
  ...[200, 202, 302, 400, 403, 503].map(
    (httpStatus): Row => [
      `a fault with HTTP status ${httpStatus}`,
      to({ status: httpStatus, headers: { 'Retry-After': '7' }, body: faultOf('Server', 'no', '', '1.1') }),
      FaultError,
      {
        ...{ ...unknown, code: 'Server', reason: 'no', detail: '', httpStatus },
        headers: { 'retry-after': '7' },
      },
      'service returned fault Server (no)',
    ],
  ),
  [
    'a fault whose code and reason have several lines',
    to(faultOf('Server\n2026 INFO forged', 'no\r\nat a()\r\nat b()', '', '1.1')),
    FaultError,
    { ...unknown, code: 'Server\n2026 INFO forged', reason: 'no\nat a()\nat b()', detail: '', httpStatus: 200 },
    'service returned fault Server 2026 INFO forged (no at a() at b())',
  ],
  [
    'a fault after the response, which takes precedence',
    to(
      credit(5).replace('</soap:Body>', `${faultOf('Server', 'no', '', '1.1').split(/<\/?soap:Body>/)[1]}</soap:Body>`),
    ),
    FaultError,
    { ...unknown, code: 'Server', reason: 'no', detail: '', httpStatus: 200 },
    'service returned fault Server (no)',
  ],
  ...VERSIONS.map(
    (soapVersion): Row => [
      `a wrong namespace in SOAP ${soapVersion}`,
      () => atSandbox(({ namespace }) => ({ namespace: namespace?.slice(0, -1) as string, soapVersion })),
      FaultError,
      {
        ...{ ...rejected, code: soapVersion === '1.1' ? 'Client' : 'Sender', detail: '', httpStatus: 500 },
        reason: expect.any(String),
      },
      /^service returned fault \w+ \((Server did not recognize the value of HTTP Header SOAPAction|Unable to handle request without a valid action parameter).*\); check the namespace and its final slash$/,
    ],
  ),
  [
    'the fault of a real service for a wrong namespace',
    to(responseFixture('wrong-namespace.12').raw),
    FaultError,
    { ...rejected, code: 'Sender', detail: '', httpStatus: 500, reason: expect.any(String) },
    /without a valid action parameter.*; check the namespace and its final slash$/,
  ],
];

const page = '<!DOCTYPE html><html><head><style>p{}</style></head><body>\n<p>Sorry &amp;</p> <p>bye</body></html>';

const signs = '<p>Error&nbsp;17: 50 % busy, A+B, retry after 30 s</p>';

const httpStatuses: Row[] = [
  ...(
    [
      [201, unknown, ''],
      [300, unknown, '; check the base URL'],
      [400, rejected, ''],
      [401, rejected, ''],
      [403, rejected, ''],
      [404, rejected, '; check the base URL'],
      [405, rejected, '; check the base URL'],
      [408, unknown, ''],
      [410, rejected, '; check the base URL'],
      [429, rejected, ''],
      [499, rejected, ''],
      [500, unknown, ''],
      [502, unknown, ''],
      [503, unknown, ''],
      [599, unknown, ''],
    ] as const
  ).map(
    ([httpStatus, outcome, hint]): Row => [
      `HTTP status ${httpStatus} with a page`,
      to({ status: httpStatus, headers: { 'Content-Type': 'text/html', 'Retry-After': '5' }, body: page }),
      HttpError,
      {
        ...{ ...outcome, httpStatus, body: page },
        headers: { 'retry-after': '5' },
      },
      `service returned HTTP status ${httpStatus} (Sorry & bye)${hint}`,
    ],
  ),
  ...(
    [
      ['nothing', '', ''],
      ['JSON', '{"error":"no such thing"}', ' ({"error":"no such thing"})'],
      ['plain text', 'Service Unavailable', ' (Service Unavailable)'],
      ['XML that is no envelope', '<error xmlns="urn:x">no</error>', ' (no)'],
      ['an ordinary response', credit(5), ' (5 200 ok)'],
    ] as const
  ).map(
    ([what, body, words]): Row => [
      `HTTP status 403 with ${what}`,
      to({ status: 403, body }),
      HttpError,
      // An ordinary response says that the request succeeded.
      { ...(body === credit(5) ? unknown : rejected), httpStatus: 403, body },
      `service returned HTTP status 403${words}`,
    ],
  ),
  ...[204, 304].map(
    (httpStatus): Row => [
      `HTTP status ${httpStatus}, which has no body`,
      to(Buffer.from(`HTTP/1.1 ${httpStatus} Nothing\r\n\r\n`)),
      HttpError,
      { ...unknown, httpStatus, body: '' },
      `service returned HTTP status ${httpStatus}${httpStatus === 304 ? '; check the base URL' : ''}`,
    ],
  ),
  [
    'a redirect, which the client does not follow',
    to({ status: 302, headers: { Location: 'http://127.0.0.1:1/login?a=1' }, body: '<html>moved</html>' }),
    HttpError,
    {
      ...{ ...unknown, httpStatus: 302, body: '<html>moved</html>' },
      headers: { location: 'http://127.0.0.1:1/login?a=1' },
    },
    'service returned HTTP status 302 (location: http://127.0.0.1:1/login?a=1); check the base URL',
  ],
  [
    'a wrong path',
    () => atSandbox(({ baseUrl }) => ({ baseUrl: `${baseUrl}/api` })),
    HttpError,
    { ...rejected, httpStatus: 404, body: expect.any(String) },
    /^service returned HTTP status 404 .*; check the base URL$/,
  ],
  [
    'a path that goes on after that of the service, as ASP.NET reports it',
    to({ status: 500, body: "Request format is unrecognized for URL unexpectedly ending in '/more'." }),
    HttpError,
    { ...unknown, httpStatus: 500, body: "Request format is unrecognized for URL unexpectedly ending in '/more'." },
    "service returned HTTP status 500 (Request format is unrecognized for URL unexpectedly ending in '/more'.); check the base URL",
  ],
  [
    'a page that ends with its connection, with signs by which a key may be spelled',
    async () => {
      const response = httpResponse({ status: 503, headers: { Connection: 'close' }, body: signs });
      return clientOf(await RawServer.start(({ socket }) => socket.end(response))).remainCredit();
    },
    HttpError,
    { ...unknown, httpStatus: 503, body: signs },
    'service returned HTTP status 503 (Error&nbsp;17: 50 % busy, A+B, retry after 30 s)',
  ],
];

/** Calls the sandbox with a mistake in the client's options. */
async function atSandbox(mistake: (options: MessagingOptions) => Partial<MessagingOptions>): Promise<unknown> {
  const sandbox = await openSandbox();
  return clientOf(sandbox, { ...sandbox.clientOptions, ...mistake(sandbox.clientOptions) } as object).remainCredit();
}

const wrongResponses: Row[] = (
  [
    ['nothing', '', 'the body is empty'],
    ['plain text', 'hello', /^not well-formed XML: /],
    ['JSON', '{"error":"no such thing"}', /^not well-formed XML: /],
    ['a page', page, 'an HTML page, not a SOAP envelope'],
    ['another page', '<html></html>', /^the root element is "html" .*, not a SOAP envelope$/],
    ['an empty Body', envelope(''), 'the envelope contains no RemainCreditByApiKeyResponse'],
    [
      'a response in another namespace',
      credit(5).replaceAll(NAMESPACE, 'urn:x'),
      /^the body contains "RemainCreditByApiKeyResponse" in namespace "urn:x", not /,
    ],
    [
      'a success without its single long',
      responseOf('RemainCreditByApiKey', undefined),
      'RemainCreditByApiKeyResult is missing',
    ],
    [
      'a success whose single long is nil',
      credit(5).replace(/<RemainCreditByApiKeyResult>.*Result>/, '<RemainCreditByApiKeyResult xsi:nil="true"/>'),
      'RemainCreditByApiKeyResult is missing',
    ],
  ] as const
).flatMap(([what, body, message]): Row[] => [
  [`a response with ${what}`, to(body), ResponseError, { ...unknown, body }, message],
  ...(what.startsWith('a success')
    ? [
        [
          `${what} for call`,
          to(body, (client) => client.call('RemainCreditByApiKey', {})),
          ResponseError,
          { ...unknown, body },
          message,
        ] as const,
      ]
    : []),
]);

const multipart = '--b\r\nContent-Type: text/xml\r\n\r\n<a/>\r\n--b--';

const otherResponses: Row[] = [
  [
    'a response that is larger than maxResponseBytes',
    to(credit(5), remainCredit, { maxResponseBytes: 10 }),
    ResponseError,
    { ...unknown, body: credit(5) },
    'the body is larger than maxResponseBytes (10)',
  ],
  [
    'a response with attachments',
    to({ headers: { 'Content-Type': 'Multipart/Related; type="text/xml"; boundary=b' }, body: multipart }),
    ResponseError,
    { ...unknown, body: multipart },
    'the service sends multipart, with attachments; MTOM is not supported',
  ],
];

const tls = (name: string) => ({ tls: { cert: pem(`${name}.pem`), key: pem(`${name}.key`) } });

/** A call that waits for the only connection. */
async function waitForConnection(): Promise<unknown> {
  const service = await RawServer.start({});
  const client = clientOf(service, { maxConnections: 1 });
  client.remainCredit().catch(() => undefined);
  await service.until(() => service.requests.length === 1);
  return client.remainCredit({}, { timeoutMs: 20 });
}

const connections: Row[] = [
  [
    'a client that is closed',
    async () => {
      const client = clientOf(nowhere);
      await client.close();
      await client.remainCredit();
    },
    ConnectionError,
    { ...notSent, code: 'CLOSED' },
    'the client is closed (CLOSED)',
  ],
  [
    'a port that is closed',
    () => clientOf(nowhere).remainCredit(),
    ConnectionError,
    { ...notSent, code: 'ECONNREFUSED' },
    'cannot connect: connect ECONNREFUSED 127.0.0.1:1',
  ],
  [
    'a name that DNS does not know',
    () => clientOf({ baseUrl: 'http://service.invalid' }).remainCredit(),
    ConnectionError,
    { ...notSent, code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) },
    /^cannot connect: getaddrinfo .* service\.invalid/,
  ],
  [
    'a port that speaks no TLS',
    async () => {
      const service = await RawServer.start({
        onConnection: (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      });
      return clientOf({ baseUrl: `https://127.0.0.1:${service.port}` }).remainCredit();
    },
    ConnectionError,
    { ...notSent, code: expect.stringMatching(/^[A-Z_]+$/) },
    // One line without OpenSSL's internals.
    /^cannot connect: TLS failed: [a-z ]+ \([A-Z_]+\)$/,
  ],
  [
    'a certificate of an unknown authority',
    async () => clientOf(await RawServer.start(tls('server'))).remainCredit(),
    ConnectionError,
    { ...notSent, code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    'cannot connect: unable to verify the first certificate (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
  ],
  [
    'a certificate for another name',
    async () => clientOf(await RawServer.start(tls('provider')), { tls: { ca: pem('authority.pem') } }).remainCredit(),
    ConnectionError,
    { ...notSent, code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    /^cannot connect: Hostname\/IP does not match certificate's altnames: /,
  ],
  [
    'a connection that is not made in time',
    async () => {
      const service = await RawServer.start({});
      return clientOf({ baseUrl: `https://127.0.0.1:${service.port}` }, { connectTimeoutMs: 20 }).remainCredit();
    },
    TimeoutError,
    { ...notSent, timeoutMs: 20 },
    'timed out after 20 ms making the connection',
  ],
  [
    'no free connection in time',
    waitForConnection,
    TimeoutError,
    { ...notSent, timeoutMs: 20 },
    'timed out after 20 ms waiting for a connection',
  ],
  [
    'no response in time',
    () => callWithoutResponse(20, remainCredit),
    TimeoutError,
    { ...unknown, timeoutMs: 20 },
    'timed out after 20 ms waiting for the response',
  ],
  [
    'no byte in time',
    async () => clientOf(await RawServer.start({})).remainCredit({}, { idleTimeoutMs: 20 }),
    TimeoutError,
    { ...unknown, timeoutMs: 20 },
    'timed out: no byte came for 20 ms while waiting for the response',
  ],
  [
    'a connection that is reset after the request',
    async () => clientOf(await RawServer.start(({ socket }) => socket.resetAndDestroy())).remainCredit(),
    ConnectionError,
    { ...unknown, code: 'ECONNRESET' },
    /^the connection failed waiting for the response: .*ECONNRESET/,
  ],
  [
    'a connection that is closed after the request',
    async () => clientOf(await RawServer.start(({ socket }) => socket.end())).remainCredit(),
    ConnectionError,
    { ...unknown, code: 'ECONNRESET' },
    'the connection failed waiting for the response: the connection was closed (ECONNRESET)',
  ],
  [
    'an abort after the request',
    async () => {
      const abort = new AbortController();
      const service = await RawServer.start(() => abort.abort());
      return clientOf(service).remainCredit({}, { signal: abort.signal });
    },
    AbortError,
    unknown,
    'aborted while it was under way',
  ],
];

const rows: readonly Row[] = [
  ...wrongOptions,
  unknownOptions,
  ...wrongRequests,
  ...statuses,
  ...faults,
  ...httpStatuses,
  ...wrongResponses,
  ...otherResponses,
  ...connections,
];

/** The name of the operation as a message begins with it. */
function operationOf([, , type, , message]: Row): string | undefined {
  if (type === ConfigurationError) return undefined;
  if (type === RequestError) return 'SendSimpleByApikey';
  return message === 'service returned status 403' ? 'SelectlatestByApikey' : 'RemainCreditByApiKey';
}

const docs = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8');
/** The messages that the page explains, with … for a part that differs. */
const unheard = new Set([...docs.matchAll(/^#### `(.*)`$/gm)].map(([, heading = '']) => heading));

function hear(message: string): void {
  for (const heading of unheard) {
    const parts = heading.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    if (new RegExp(`^${parts.join('.*')}$`).test(message)) unheard.delete(heading);
  }
}

test.each(rows)('the error for %s has its class, its fields and its message, also as JSON', async (...row) => {
  const [, fail, type, { headers, ...fields }, message] = row;
  const error = await failureOf(fail());
  if (!(error instanceof type)) throw error;
  hear(error.message);
  expect(error).toBeInstanceOf(MessagingError);
  expect(error.name).toBe(type.name);
  const operation = operationOf(row);
  const { headers: _, ...shown } = { ...error } as Record<string, unknown>;
  expect(shown).toEqual({ operation, ...fields });
  if (headers !== undefined) expect(error).toMatchObject({ headers });
  const start = operation === undefined ? '' : `${operation}: `;
  expect(error.message.slice(0, start.length)).toBe(start);
  const words = error.message.slice(start.length);
  expect(words).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  // No service can forge a line of a log, or control a terminal.
  expect(error.message).not.toMatch(/\p{Cc}/u);
  expect(String(error)).toBe(`${error.name}: ${error.message}`);
  expect(error.stack).toContain(error.message);
  const plain = JSON.stringify({ ...error }, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  expect(JSON.parse(JSON.stringify({ error }))).toEqual({
    error: { name: error.name, message: error.message, ...JSON.parse(plain) },
  });
});

test('the client and the command give every message that docs/errors.md explains', async () => {
  const environment = { ...environmentOf({ ...required, baseUrl: 'http://127.0.0.1:1' }), MESSAGING_API_KEY: '' };
  const { stderr } = await messaging(['remain-credit'], { environment });
  hear(stderr.replace(/^error: |\n$/g, ''));
  hear(((await failureOf(Promise.resolve().then(() => JSON.stringify([1n])))) as Error).message);
  hear(((await failureOf(atSandbox(() => ({ apiKey: 'another' })))) as Error).message);
  expect([...unheard]).toEqual([]);
});

test('a message names at most ten problems of a request, and the error has all of them', async () => {
  const receptor = new Array(15).fill(5);
  const error = await errorOf(RequestError, clientOf(nowhere).sendSimple({ ...simple, receptor }));
  expect(error.message).toMatch(/receptor\[0\]: .*; receptor\[9\]: a string is needed, not a number; and 5 more$/);
  expect(error.problems.map(({ index }) => index)).toEqual(Array.from(receptor.keys()));
});

describe('what the service said, in an error', () => {
  const long = 'word '.repeat(100).trim();
  const cut = `(${long.slice(0, 300)}…)`;

  test.each([
    ['a statusmessage', { body: refusal('5', long) }],
    ['the reason of a fault', { body: faultOf('Server', long, '', '1.1') }],
    ['the detail of a fault', { body: faultOf('Server', '', `<a>${long}</a>`, '1.2') }],
    ['a page', { status: 503, body: `<html><body>${long}</body></html>` }],
  ])('%s is cut at 300 characters in a message', async (_, response) => {
    const { message } = await errorOf(MessagingError, to(response)());
    expect(message.slice(-cut.length)).toBe(cut);
  });

  test.each([
    ['a statusmessage', { body: refusal('5', ESCAPED_KEY) }],
    ['a reason', { status: 500, body: faultOf('Server', ESCAPED_KEY, '', '1.1') }],
    ['a detail', { status: 500, body: faultOf('Server', 'no', `<a>${ESCAPED_KEY}</a>`, '1.1') }],
    ['a page', { status: 502, body: `<p>${ESCAPED_KEY}</p>` }],
    ['a page, over two lines', { status: 502, body: `<p>${ESCAPED_KEY.replaceAll(' ', '\n  ')}</p>` }],
    ['a redirect', { status: 302, headers: { Location: `/?k=${encodeURIComponent(API_KEY)}` } }],
  ])('the key in %s is masked in a message before the text is cut', async (_, response) => {
    const { message } = await errorOf(MessagingError, to(response)());
    expect(message).toContain('***');
    expect(message).not.toMatch(/secret/);
  });

  test.each([
    ['HttpError', 502],
    ['ResponseError', 200],
  ])('the body in an error has at most 1,000 characters, and no half character (%s)', async (name, status) => {
    const body = `<html>${'سلام '.repeat(198)}xxx${'👋'.repeat(100)}`;
    expect(await failureOf(to({ status, body })())).toMatchObject({ name, body: body.slice(0, 999) });
  });

  test.each([
    ['windows-1256', 'text/html; charset=windows-1256', Buffer.from([0xd3, 0xe1, 0xc7, 0xe3])],
    ['quoted UTF-8', 'text/html; charset="utf-8"', Buffer.from('سلام')],
    ['UTF-16 with a byte order mark', 'text/html', Buffer.from('\ufeffسلام', 'utf16le')],
    ['an encoding that nobody knows', 'text/html; charset=klingon', Buffer.from('سلام')],
    [
      'an unknown encoding in its XML declaration',
      'text/xml',
      Buffer.from('<?xml version="1.0" encoding="klingon"?>سلام'),
    ],
  ])('the body in an error is read in the encoding of the service: %s', async (_, type, body) => {
    const error = await errorOf(HttpError, to({ status: 502, headers: { 'Content-Type': type }, body })());
    expect(error.body.replace(/<.*>/, '')).toBe('سلام');
  });

  test("an error has the response's headers by lower-case name, joined when they repeat, and masked", async () => {
    const lines = ['Retry-After: 120', 'X-Request-ID: abc', `X-Echo: ${API_KEY}`, 'Via: a', 'Via: b'];
    const bytes = Buffer.from(`HTTP/1.1 503 Busy\r\n${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`);
    const error = await errorOf(HttpError, to(bytes)());
    const headers = { 'retry-after': '120', 'x-request-id': 'abc', 'x-echo': '***', via: 'a,b', 'content-length': '0' };
    expect(error.headers).toEqual(headers);
  });
});

describe('the cause of a ConnectionError', () => {
  test("a ConnectionError has the system's error as its cause, with its fields", async () => {
    const { cause } = await errorOf(ConnectionError, clientOf(nowhere).remainCredit());
    expect(cause).toBeInstanceOf(Error);
    const fields = { code: 'ECONNREFUSED', syscall: 'connect', address: '127.0.0.1', port: 1 };
    expect(cause).toMatchObject({ message: 'connect ECONNREFUSED 127.0.0.1:1', ...fields });
    expect((cause as Error).stack).toMatch(/^Error: connect ECONNREFUSED .*\n +at /);
  });

  test('the cause shows the certificate that was refused, and no key', async () => {
    const service = await RawServer.start(tls('provider'));
    const apiKey = 'provider.example';
    const client = clientOf(service, { apiKey, tls: { ca: pem('authority.pem') } });
    const { cause } = await errorOf(ConnectionError, client.remainCredit());
    expect(cause).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID', cert: { subjectaltname: 'DNS:***' } });
    expect(inspect(cause, { depth: Infinity, showHidden: true })).not.toContain(apiKey);
  });

  test('an error of the client itself has no cause', async () => {
    const client = clientOf(nowhere);
    await client.close();
    expect(await errorOf(ConnectionError, client.remainCredit())).not.toHaveProperty('cause');
  });
});

describe('the status check', () => {
  test.each([
    [1, true],
    [-3, true],
    [0, false],
    [200, false],
    [-2147483648, false],
  ])('with successStatuses [1, -3], the status %i is a success: %s', async (status, isSuccess) => {
    const call = to(responseOf('RemainCreditByApiKey', '5', { status }), remainCredit, { successStatuses: [1, -3] })();
    if (isSuccess) expect(await call).toBe(5n);
    else expect(await errorOf(StatusError, call)).toMatchObject({ status, result: 5n });
  });

  test.each([
    ['a result', '5', 5n],
    ['no single long', undefined, undefined],
  ])('call checks no status, and resolves with a refusal that has %s', async (_, content, result) => {
    const call = to(refusal(content, 'teapot'), (client) => client.call('RemainCreditByApiKey', {}))();
    expect(await call).toEqual({ result, status: 418, statusmessage: 'teapot' });
  });

  test.each([
    ['absent', responseOf('SendSimpleByApikey', undefined)],
    ['empty', responseOf('SendSimpleByApikey', '')],
    ['nil', responseOf('SendSimpleByApikey', '').replace('Result>', 'Result xsi:nil="true">')],
  ])('a success whose list is %s resolves with []', async (_, body) => {
    const client = clientOf(await serve(body));
    expect(await client.sendSimple(simple)).toEqual([]);
    expect(await client.call('SendSimpleByApikey', simple)).toEqual({ result: [], status: 200, statusmessage: 'ok' });
  });
});
