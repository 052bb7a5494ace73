import { X509Certificate } from 'node:crypto';
import {
  type CallOptions,
  ConfigurationError,
  ConnectionError,
  MessagingClient,
  type MessagingOptions,
  RequestError,
  TimeoutError,
} from '../../src';
import { cleanUp } from '../support/clean-up';
import { API_KEY, clientOf } from '../support/client';
import { holdClock, turns } from '../support/clock';
import { SAMPLES } from '../support/contract';
import { credit, NAMESPACE, responseOf } from '../support/envelopes';
import { pem } from '../support/fixtures';
import { httpResponse } from '../support/http-response';
import { collect, errorOf, expectAbort, failureOf, thrownBy } from '../support/outcomes';
import { RawServer, serve } from '../support/raw-server';

const simple = SAMPLES.SendSimpleByApikey;

const required = { baseUrl: 'http://provider.example', namespace: NAMESPACE, apiKey: API_KEY, successStatuses: [200] };

describe('wrong options', () => {
  const big = 2 ** 31;
  const rows: [string, Record<string, unknown>, string | RegExp][] = [
    ['no baseUrl', { baseUrl: undefined }, 'baseUrl (MESSAGING_BASE_URL): missing'],
    [
      "a baseUrl that ends in the endpoint's path, as a browser shows it",
      { baseUrl: 'http://provider.example/SOAP/v1.asmx/?wsdl' },
      'baseUrl (MESSAGING_BASE_URL): the client adds /soap/v1.asmx itself: write "http://provider.example" in place of "http://provider.example/SOAP/v1.asmx/?wsdl"',
    ],
    ['a null baseUrl', { baseUrl: null }, 'baseUrl (MESSAGING_BASE_URL): missing'],
    ['an empty baseUrl', { baseUrl: '' }, 'baseUrl (MESSAGING_BASE_URL): missing'],
    [
      'a baseUrl of an address and a port',
      { baseUrl: '127.0.0.1:8080/api' },
      'baseUrl (MESSAGING_BASE_URL): not a URL: write "http://127.0.0.1:8080/api"',
    ],
    ['a baseUrl that is not a text', { baseUrl: 5 }, /^baseUrl \(MESSAGING_BASE_URL\): a string is needed/],
    [
      'a baseUrl of another protocol',
      { baseUrl: 'ftp://provider.example' },
      /^baseUrl \(MESSAGING_BASE_URL\): neither/,
    ],
    ['a baseUrl with a user', { baseUrl: 'http://me@provider.example' }, /^baseUrl \(MESSAGING_BASE_URL\): user/],
    [
      'a baseUrl with a query',
      { baseUrl: 'http://provider.example/?a=1' },
      /^baseUrl \(MESSAGING_BASE_URL\): no query/,
    ],
    [
      'a baseUrl with a fragment',
      { baseUrl: 'http://provider.example/#a' },
      /^baseUrl \(MESSAGING_BASE_URL\): no query/,
    ],
    ['no namespace', { namespace: undefined }, 'namespace (MESSAGING_NAMESPACE): missing'],
    ['a namespace with a line end', { namespace: 'http://x/\r\nX-Evil: 1' }, /^namespace \(MESSAGING_NAMESPACE\): /],
    ['a namespace with a quotation mark', { namespace: 'http://x/"/' }, /^namespace \(MESSAGING_NAMESPACE\): /],
    ['a namespace that is not ASCII', { namespace: 'http://مثال/' }, /^namespace \(MESSAGING_NAMESPACE\): /],
    ['an apiKey that is not a text', { apiKey: 12345 }, /^apiKey \(MESSAGING_API_KEY\): a string is needed/],
    [
      'an apiKey that XML cannot carry',
      { apiKey: 'a\x00b' },
      /^apiKey \(MESSAGING_API_KEY\): XML 1\.0 cannot carry U\+0000/,
    ],
    ...['s3cret\n', 's3cret\r\n', ' s3cret', '\ufeffs3cret', ' '].map(
      (apiKey): [string, Record<string, unknown>, string] => [
        `an apiKey with white space around it: ${encodeURIComponent(apiKey)}`,
        { apiKey },
        'apiKey (MESSAGING_API_KEY): white space before or after the key, such as the line break of a file: trim it',
      ],
    ),
    ['no successStatuses', { successStatuses: undefined }, 'successStatuses (MESSAGING_SUCCESS_STATUSES): missing'],
    ['an empty list of statuses', { successStatuses: [] }, /^successStatuses \(MESSAGING_SUCCESS_STATUSES\): /],
    ['a single status', { successStatuses: 200 }, /^successStatuses \(MESSAGING_SUCCESS_STATUSES\): /],
    ['a status as text', { successStatuses: ['200'] }, /^successStatuses \(MESSAGING_SUCCESS_STATUSES\): /],
    ['a status beyond xsd:int', { successStatuses: [big] }, /^successStatuses \(MESSAGING_SUCCESS_STATUSES\): /],
    ['a fraction of a status', { successStatuses: [200.5] }, /^successStatuses \(MESSAGING_SUCCESS_STATUSES\): /],
    ['a bigint as status', { successStatuses: [200n] }, /^successStatuses \(MESSAGING_SUCCESS_STATUSES\): /],
    ['an unknown SOAP version', { soapVersion: '1.3' }, /^soapVersion \(MESSAGING_SOAP_VERSION\): "1.3"/],
    ['a SOAP version as a number', { soapVersion: 1.1 }, /^soapVersion \(MESSAGING_SOAP_VERSION\): 1.1/],
    ['a negative timeoutMs', { timeoutMs: -1 }, /^timeoutMs \(MESSAGING_TIMEOUT_MS\): -1/],
    ['an endless timeoutMs', { timeoutMs: Number.POSITIVE_INFINITY }, /^timeoutMs \(MESSAGING_TIMEOUT_MS\): Infinity/],
    ['a timeoutMs that is too long for timers', { timeoutMs: big }, /^timeoutMs \(MESSAGING_TIMEOUT_MS\): 2147483648/],
    ['a timeoutMs as text', { timeoutMs: '30000' }, /^timeoutMs \(MESSAGING_TIMEOUT_MS\): /],
    ['a connectTimeoutMs that is not a number', { connectTimeoutMs: Number.NaN }, /^connectTimeoutMs: NaN/],
    ['a fraction as idleTimeoutMs', { idleTimeoutMs: 0.5 }, /^idleTimeoutMs: 0.5/],
    ['a maxResponseBytes of 0', { maxResponseBytes: 0 }, /^maxResponseBytes: 0/],
    ['a negative number of retries', { retries: -1 }, /^retries \(MESSAGING_RETRIES\): -1/],
    ['a fraction as retries', { retries: 0.5 }, /^retries \(MESSAGING_RETRIES\): 0.5/],
    ['a maxConnections of 0', { maxConnections: 0 }, /^maxConnections: 0/],
    ['keepAlive as text', { keepAlive: 'false' }, /^keepAlive: /],
    ['a proxy that is not a URL', { proxy: '127.0.0.1' }, 'proxy (MESSAGING_PROXY): not a URL'],
    ['a proxy of another protocol', { proxy: 'socks5://127.0.0.1:1' }, /^proxy \(MESSAGING_PROXY\): neither/],
    [
      'a proxy with a user that cannot be decoded',
      { proxy: 'http://u%ZZ:p@h' },
      /^proxy \(MESSAGING_PROXY\): user or password has an invalid percent escape \(write % as %25\)$/,
    ],
    [
      'a proxy with a password that is not UTF-8',
      { proxy: 'http://u:p%ff@h' },
      /^proxy \(MESSAGING_PROXY\): user or password has an invalid percent escape \(write % as %25\)$/,
    ],
    [
      'an object that cannot be converted to a text',
      { timeoutMs: Object.create(null) },
      /^timeoutMs \(MESSAGING_TIMEOUT_MS\): the object is not a whole number/,
    ],
    ['an object in a list', { successStatuses: [Object.create(null)] }, /: the object is not a whole number/],
    ['a function as keepAlive', { keepAlive: () => true }, 'keepAlive: the function is neither true nor false'],
    ['TLS settings that are not an object', { tls: 'ca.pem' }, 'tls: an object is needed'],
    ['TLS settings that are a list', { tls: [] }, 'tls: an object is needed'],
    [
      'unknown TLS settings and TLS settings of the wrong type',
      { tls: { foo: API_KEY, ca: 1, cert: [], key: undefined, servername: API_KEY, rejectUnauthorized: 0 } },
      'tls.ca: PEM as a string or bytes, or a list of these, is needed; tls.cert: PEM as a string or bytes is needed; ' +
        'tls.rejectUnauthorized: 0 is neither true nor false; ' +
        'tls.foo: no such option (options: ca, cert, key, passphrase, servername, rejectUnauthorized)',
    ],
    ...[
      ['an empty authority', ''],
      ['no authority', []],
      ['an authority that is no PEM', 'authority.pem'],
      ['an authority that is damaged', '-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----'],
      ['an authority in binary', new X509Certificate(pem('authority.pem')).raw],
      ['a list with an empty authority', [pem('authority.pem'), Buffer.alloc(0)]],
    ].map(([title, ca]): [string, Record<string, unknown>, string] => [
      `${title}`,
      { tls: { ca } },
      'tls.ca: no certificate in PEM',
    ]),
    ['an empty client certificate', { tls: { cert: '', key: Buffer.alloc(0) } }, 'tls.cert: empty; tls.key: empty'],
    ['defaults that are not an object', { defaults: 'msgmode' }, 'defaults (MESSAGING_DEFAULTS): an object is needed'],
    ['defaults that are a list', { defaults: [] }, 'defaults (MESSAGING_DEFAULTS): an object is needed'],
    [
      'a default for an unknown field',
      { defaults: { mode: 1 } },
      /^defaults \(MESSAGING_DEFAULTS\): mode is not a field/,
    ],
    [
      'the API key as a default',
      { defaults: { apikey: 'x' } },
      /^defaults \(MESSAGING_DEFAULTS\): apikey is not a field/,
    ],
  ];

  test.each(rows)('the constructor throws a ConfigurationError that names the option for %s', (_, options, words) => {
    const error = thrownBy(() => new MessagingClient({ ...required, ...options } as MessagingOptions));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ outcome: 'not-sent', operation: undefined });
    const { message: said } = error as ConfigurationError;
    if (typeof words === 'string') expect(said).toBe(words);
    else expect(said).toMatch(words);
  });

  test('one ConfigurationError names all options that are missing or wrong', () => {
    const error = thrownBy(() => new MessagingClient({ ...required, apiKey: '', namespace: 'n n', timeoutMs: -1 }));
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      message:
        'namespace (MESSAGING_NAMESPACE): a URI of visible ASCII characters is needed, without quotation marks; ' +
        'apiKey (MESSAGING_API_KEY): missing; ' +
        'timeoutMs (MESSAGING_TIMEOUT_MS): -1 is not a whole number from 0 to 2147483647',
    });
  });

  test.each([
    [
      'options that no call has',
      { timeout: 5000, [API_KEY]: undefined },
      /^timeout: no such option; \*\*\*: no such option \(options: signal, timeoutMs, idleTimeoutMs, startWithinMs, retries, maxResponseBytes(, onUnreadable)?\)$/,
    ],
    ['a controller in place of a signal', { signal: new AbortController() }, /^signal: an AbortSignal is needed$/],
  ])('a call with %s rejects with a ConfigurationError, and nothing is sent', async (_, options, message) => {
    const service = await RawServer.start({});
    const client = clientOf(service);
    const calls = [
      () => client.sendSimple(simple, options as CallOptions),
      () => collect(client.selectLatestStream({ pagesize: 1 }, options as CallOptions)),
    ];
    for (const call of calls) expect((await errorOf(ConfigurationError, call())).message).toMatch(message);
    expect(service.connections).toBe(0);
  });

  test.each([[null], ['x'], [5], [[]]])('%j in place of the options is a ConfigurationError', async (given) => {
    const options = given as never;
    const client = new MessagingClient(required);
    for (const call of [
      async () => new MessagingClient(options),
      async () => MessagingClient.fromEnv(options),
      () => client.close(options),
      ...(given === null ? [] : [() => client.remainCredit({}, options)]),
    ]) {
      const { message } = await errorOf(ConfigurationError, call());
      expect(message).toBe('options: an object is needed');
    }
  });

  test.each([-1, 1.5, Number.NaN, 2 ** 31, '50'])(
    'a call with a timeoutMs of %p rejects before anything is sent',
    async (timeoutMs) => {
      const service = await RawServer.start({});
      const call = clientOf(service).remainCredit({}, { timeoutMs: timeoutMs as number });
      expect((await errorOf(ConfigurationError, call)).message).toContain('timeoutMs');
      expect(service.connections).toBe(0);
    },
  );

  test('only a stream takes onUnreadable, which is a function', async () => {
    const client = new MessagingClient(required);
    const call = client.remainCredit({}, { onUnreadable: () => undefined } as never);
    expect((await errorOf(ConfigurationError, call)).message).toMatch(/^onUnreadable: no such option/);
    const stream = client.selectLatestStream({ pagesize: 1 }, { onUnreadable: 'log' as never });
    expect((await errorOf(ConfigurationError, collect(stream))).message).toBe('onUnreadable: a function is needed');
  });

  test('close rejects unknown options, and lists the known option', async () => {
    const options = { within: 1, [API_KEY]: 1 } as never;
    const { message } = await errorOf(ConfigurationError, new MessagingClient(required).close(options));
    expect(message).toBe('within: no such option; ***: no such option (options: withinMs)');
  });

  test('a client without options is a ConfigurationError', () => {
    // @ts-expect-error options are required
    expect(thrownBy(() => new MessagingClient())).toBeInstanceOf(ConfigurationError);
    expect(thrownBy(() => new MessagingClient({} as MessagingOptions))).toBeInstanceOf(ConfigurationError);
  });
});

describe('the options of a call are read once', () => {
  test('a signal of null counts as missing, also with retries', async () => {
    const client = clientOf({ baseUrl: 'http://127.0.0.1:1' }, { retries: 1 });
    const call = client.remainCredit({}, { signal: null as never });
    expect(await errorOf(ConnectionError, call)).toMatchObject({ outcome: 'not-sent', code: 'ECONNREFUSED' });
  });

  /** Options as a class with getters has them. */
  class Inherited {
    get timeoutMs() {
      return 60;
    }
  }

  test('methods and streams use options that a class inherits', async () => {
    const service = await RawServer.start({});
    const client = clientOf(service, { timeoutMs: 0 });
    const clock = holdClock();
    const failures = [
      errorOf(TimeoutError, client.remainCredit({}, new Inherited())),
      errorOf(TimeoutError, collect(client.selectLatestStream({ pagesize: 1 }, new Inherited()))),
    ];
    await service.until(() => service.requests.length === 2);
    await clock.advance(60);
    for (const failure of failures) expect(await failure).toMatchObject({ timeoutMs: 60 });
  });

  test('fromEnv uses overrides that a class inherits', async () => {
    const overrides = Object.create({ ...required, baseUrl: 'http://inherited.example' });
    const client = MessagingClient.fromEnv(overrides);
    expect(client.baseUrl).toBe('http://inherited.example');
  });

  test('a getter that gives another value the second time does no harm', async () => {
    const service = await RawServer.start({});
    const clock = holdClock();
    const values: unknown[] = [60, 'abc'];
    const options = {
      get timeoutMs() {
        return values.shift() as number;
      },
    };
    const failure = errorOf(TimeoutError, clientOf(service).remainCredit({}, options));
    await service.until(() => service.requests.length === 1);
    await clock.advance(60);
    expect((await failure).message).toBe('RemainCreditByApiKey: timed out after 60 ms waiting for the response');
  });
});

describe('fromEnv', () => {
  const variables = {
    MESSAGING_BASE_URL: 'http://127.0.0.1:1',
    MESSAGING_NAMESPACE: 'http://environment.example/',
    MESSAGING_API_KEY: 'key of the environment',
    MESSAGING_SUCCESS_STATUSES: '200, 201,-5',
    MESSAGING_SOAP_VERSION: '1.2',
    MESSAGING_TIMEOUT_MS: '60',
  };

  function setEnvironment(values: Readonly<Record<string, string | undefined>>): void {
    const before = { ...process.env };
    cleanUp(() => {
      process.env = before;
    });
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }

  test('fromEnv takes every option from its variable', async () => {
    const bodies = [200, 201, -5, 202].map((status) =>
      responseOf('RemainCreditByApiKey', '5', { status, version: '1.2' }),
    );
    const service = await RawServer.start(({ socket }) => {
      const body = bodies.shift()?.replaceAll(NAMESPACE, variables.MESSAGING_NAMESPACE);
      if (body !== undefined) socket.write(httpResponse({ body }));
    });
    setEnvironment({ ...variables, MESSAGING_BASE_URL: service.baseUrl });
    const clock = holdClock();
    const client = MessagingClient.fromEnv();
    cleanUp(() => client.close());
    for (let count = 0; count < 3; count++) expect(await client.remainCredit()).toBe(5n);
    await expect(client.remainCredit()).rejects.toMatchObject({ name: 'StatusError', status: 202 });
    const failure = failureOf(client.remainCredit());
    await service.until(() => service.requests.length === 5);
    await clock.advance(60);
    expect(await failure).toMatchObject({ name: 'TimeoutError', timeoutMs: 60 });
    const [request] = service.requests;
    expect(request?.headers['content-type']).toBe('application/soap+xml; charset=utf-8');
    expect(request?.body).toContain('<RemainCreditByApiKey xmlns="http://environment.example/">');
    expect(request?.body).toContain('<apikey>key of the environment</apikey>');
  });

  test('an override takes precedence over its variable, also when the variable is wrong', async () => {
    const service = await serve(credit(5));
    setEnvironment({
      MESSAGING_BASE_URL: 'nonsense',
      MESSAGING_NAMESPACE: 'no namespace',
      MESSAGING_API_KEY: 'another',
      MESSAGING_SUCCESS_STATUSES: 'ok',
      MESSAGING_SOAP_VERSION: '3',
      MESSAGING_TIMEOUT_MS: 'soon',
    });
    const overrides = { ...required, baseUrl: service.baseUrl, soapVersion: '1.1', timeoutMs: 1000 } as const;
    const client = MessagingClient.fromEnv(overrides);
    cleanUp(() => client.close());
    expect(await client.remainCredit()).toBe(5n);
    expect(service.requests[0]?.headers.soapaction).toBe(`"${NAMESPACE}RemainCreditByApiKey"`);
  });

  test('fromEnv ignores an override that is undefined', async () => {
    setEnvironment({ ...variables, MESSAGING_TIMEOUT_MS: '60000' });
    const client = MessagingClient.fromEnv({ timeoutMs: undefined, baseUrl: undefined });
    cleanUp(() => client.close());
    expect(await errorOf(ConnectionError, client.remainCredit())).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test.each([
    ['MESSAGING_BASE_URL', 'baseUrl (MESSAGING_BASE_URL): missing'],
    ['MESSAGING_NAMESPACE', 'namespace (MESSAGING_NAMESPACE): missing'],
    ['MESSAGING_API_KEY', 'apiKey (MESSAGING_API_KEY): missing'],
    ['MESSAGING_SUCCESS_STATUSES', 'successStatuses (MESSAGING_SUCCESS_STATUSES): missing'],
  ])('fromEnv treats an empty or absent %s as missing', (variable, words) => {
    for (const value of ['', undefined]) {
      setEnvironment({ ...variables, [variable]: value });
      expect(thrownBy(() => MessagingClient.fromEnv())).toMatchObject({ name: 'ConfigurationError', message: words });
    }
  });

  test.each(['MESSAGING_SOAP_VERSION', 'MESSAGING_TIMEOUT_MS'])(
    'fromEnv uses the default for an empty %s',
    async (variable) => {
      const service = await serve(credit(5));
      setEnvironment({
        ...variables,
        MESSAGING_BASE_URL: service.baseUrl,
        MESSAGING_SOAP_VERSION: undefined,
        MESSAGING_TIMEOUT_MS: undefined,
        [variable]: '',
      });
      const client = MessagingClient.fromEnv({
        baseUrl: service.baseUrl,
        namespace: NAMESPACE,
        apiKey: 'key-of-the-test',
      });
      cleanUp(() => client.close());
      expect(await client.remainCredit()).toBe(5n);
      expect(service.requests[0]?.headers['content-type']).toBe('text/xml; charset=utf-8');
    },
  );

  test('one error of fromEnv names all variables that are missing or wrong', () => {
    setEnvironment({
      ...variables,
      MESSAGING_API_KEY: '',
      MESSAGING_SUCCESS_STATUSES: 'ok',
      MESSAGING_TIMEOUT_MS: '1s',
    });
    expect(thrownBy(() => MessagingClient.fromEnv())).toMatchObject({
      message:
        'apiKey (MESSAGING_API_KEY): missing; ' +
        'successStatuses (MESSAGING_SUCCESS_STATUSES): "ok" is not a whole number (xsd:int); ' +
        'timeoutMs (MESSAGING_TIMEOUT_MS): "1s" is not a whole number from 0 to 2147483647',
    });
  });

  test.each([
    ['MESSAGING_BASE_URL', 'provider', 'baseUrl (MESSAGING_BASE_URL): not a URL'],
    [
      'MESSAGING_SUCCESS_STATUSES',
      '200,',
      'successStatuses (MESSAGING_SUCCESS_STATUSES): "" is not a whole number (xsd:int)',
    ],
    [
      'MESSAGING_SUCCESS_STATUSES',
      'ok',
      'successStatuses (MESSAGING_SUCCESS_STATUSES): "ok" is not a whole number (xsd:int)',
    ],
    [
      'MESSAGING_SUCCESS_STATUSES',
      '2e2',
      'successStatuses (MESSAGING_SUCCESS_STATUSES): "2e2" is not a whole number (xsd:int)',
    ],
    [
      'MESSAGING_TIMEOUT_MS',
      '30s',
      'timeoutMs (MESSAGING_TIMEOUT_MS): "30s" is not a whole number from 0 to 2147483647',
    ],
    ['MESSAGING_SOAP_VERSION', '12', 'soapVersion (MESSAGING_SOAP_VERSION): "12" is neither "1.1" nor "1.2"'],
  ])('fromEnv refuses %s=%s', (variable, value, words) => {
    setEnvironment({ ...variables, [variable]: value });
    expect(thrownBy(() => MessagingClient.fromEnv())).toMatchObject({ name: 'ConfigurationError', message: words });
  });
});

describe('the address of the service', () => {
  test.each([
    ['', '/soap/v1.asmx'],
    ['/', '/soap/v1.asmx'],
    ['///', '/soap/v1.asmx'],
    ['/api', '/api/soap/v1.asmx'],
    ['/api/', '/api/soap/v1.asmx'],
    ['/a%20b/c d/', '/a%20b/c%20d/soap/v1.asmx'],
  ])('a baseUrl that ends in "%s" is joined with the path of the contract', async (end, path) => {
    const service = await serve(credit(5));
    const client = clientOf({ baseUrl: service.baseUrl + end });
    expect(await client.remainCredit()).toBe(5n);
    const [request] = service.requests;
    expect(request?.requestLine).toBe(`POST ${path} HTTP/1.1`);
    expect(request?.headers.host).toBe(`127.0.0.1:${service.port}`);
  });

  test('the host of baseUrl may be a name or an IPv6 address', async () => {
    const service = await serve(credit(5));
    const client = clientOf({ baseUrl: `http://localhost:${service.port}` });
    expect(await client.remainCredit()).toBe(5n);
    const v6 = clientOf({ baseUrl: `http://[::1]:${service.port}` });
    // Nothing listens there; a host with brackets in it could not even be looked up.
    expect(['ECONNREFUSED', 'EADDRNOTAVAIL']).toContain((await errorOf(ConnectionError, v6.remainCredit())).code);
  });
});

test('a client says which service it calls', () => {
  const client = new MessagingClient({ ...required, baseUrl: 'HTTP://Provider.example:80/api//' });
  expect(client.baseUrl).toBe('http://provider.example/api');
  expect(client.namespace).toBe(NAMESPACE);
  expect(() => Object.assign(client, { baseUrl: 'http://other.example' })).toThrow(TypeError);
});

describe('defaults', () => {
  test('a default fills a field that a request leaves out, and a field of the request takes precedence', async () => {
    const service = await serve(responseOf('SendSimpleByApikey', '<long>1</long>'));
    const client = new MessagingClient({
      ...required,
      baseUrl: service.baseUrl,
      defaults: { sender: '3000', msgmode: 7, unixdate: 5n, status: 9, statusmessage: 'hello' },
    });
    cleanUp(() => client.close());
    await client.sendSimple({ message: 'a', receptor: ['1'] });
    await client.sendSimple({
      message: 'a',
      receptor: [],
      sender: '',
      msgmode: 0,
      unixdate: 0,
      status: 0,
      statusmessage: '',
    });
    await client.sendSimple({ message: 'a', receptor: null, sender: null, statusmessage: null });
    // @ts-expect-error a field that is undefined is left out
    await client.sendSimple({ message: 'a', receptor: ['1'], status: undefined, sender: undefined });
    const texts = service.requests.map(({ body }) => /<\/apikey>(.*)<\/SendSimpleByApikey>/.exec(body)?.[1]);
    expect(texts).toEqual([
      '<sender>3000</sender><message>a</message><receptor><string>1</string></receptor><unixdate>5</unixdate>' +
        '<msgmode>7</msgmode><status>9</status><statusmessage>hello</statusmessage>',
      '<sender></sender><message>a</message><receptor></receptor><unixdate>0</unixdate><msgmode>0</msgmode>' +
        '<status>0</status><statusmessage></statusmessage>',
      '<message>a</message><unixdate>5</unixdate><msgmode>7</msgmode><status>9</status>',
      '<sender>3000</sender><message>a</message><receptor><string>1</string></receptor><unixdate>5</unixdate>' +
        '<msgmode>7</msgmode><status>9</status><statusmessage>hello</statusmessage>',
    ]);
  });

  test('a change of the options after the client was created has no effect', async () => {
    const service = await serve(responseOf('SelectlatestByApikey', ''));
    const defaults = { pagesize: 10 };
    const options = { ...required, baseUrl: service.baseUrl, defaults, successStatuses: [200] };
    const client = new MessagingClient(options);
    cleanUp(() => client.close());
    defaults.pagesize = 99;
    options.successStatuses.pop();
    expect(await client.selectLatest({})).toEqual([]);
    expect(service.requests[0]?.body).toContain('<pagesize>10</pagesize>');
  });

  test('a default of the wrong type is a RequestError that names the field', async () => {
    const client = new MessagingClient({ ...required, defaults: { msgmode: 'x' as never } });
    const { msgmode: _, ...rest } = simple;
    expect((await errorOf(RequestError, client.sendSimple(rest as never))).field).toBe('msgmode');
  });

  test('a field without a default cannot be left out', async () => {
    const { msgmode: _, ...rest } = simple;
    // @ts-expect-error a field is missing
    const error = await errorOf(RequestError, new MessagingClient(required).sendSimple(rest));
    expect(error.field).toBe('msgmode');
    expect(error.message).toMatch(/^SendSimpleByApikey: msgmode is missing: .*defaults/);
  });

  test('a default of null leaves the element out', async () => {
    const service = await serve(responseOf('SendSimpleByApikey', ''));
    const client = new MessagingClient({ ...required, baseUrl: service.baseUrl, defaults: { sender: null } });
    cleanUp(() => client.close());
    const { sender: _, ...rest } = simple;
    await client.sendSimple(rest);
    expect(service.requests[0]?.body).not.toContain('<sender');
  });
});

describe('null', () => {
  test.each(['unixdate', 'msgmode', 'status'] as const)(
    'null for %s, which the WSDL requires, is a RequestError',
    async (field) => {
      const client = new MessagingClient(required);
      const error = await errorOf(RequestError, client.sendSimple({ ...simple, [field]: null }));
      expect(error).toMatchObject({ field });
      expect(error.message).toContain('the WSDL requires it');
    },
  );

  test('null in a list is a RequestError that names the item', async () => {
    const client = new MessagingClient(required);
    const call = client.sendSimple({ ...simple, receptor: ['1', null as never] });
    expect((await errorOf(RequestError, call)).field).toBe('receptor[1]');
  });
});

describe('the life of a client', () => {
  test('a client makes no connection before its first call', async () => {
    const service = await serve(credit(5));
    const client = clientOf(service);
    client.selectLatestStream({ pagesize: 1 });
    // An earlier connection would be counted too.
    await clientOf(service, { keepAlive: false }).remainCredit();
    expect(service.connections).toBe(1);
  });

  test('a call after close rejects, and nothing is sent', async () => {
    const service = await serve(credit(5));
    const client = clientOf(service);
    expect(await client.remainCredit()).toBe(5n);
    await client.close();
    for (const call of [
      client.remainCredit(),
      client.call('RemainCreditByApiKey', {}),
      collect(client.selectLatestStream({ pagesize: 1 })),
    ]) {
      const error = await errorOf(ConnectionError, call);
      expect(error).toMatchObject({ outcome: 'not-sent', code: 'CLOSED' });
      expect(error.message).toContain('the client is closed');
    }
    expect(service.requests).toHaveLength(1);
  });

  test('a client that was never used can be closed', async () => {
    await new MessagingClient({ ...required }).close();
  });

  test('a client can be closed more than once', async () => {
    const client = clientOf(await serve(credit(5)));
    await client.remainCredit();
    await client.close();
    await client.close();
    await Promise.all([client.close(), client.close()]);
  });

  test('close waits for the calls that are under way and then closes the connections, also when it is called twice', async () => {
    const service = await RawServer.start({});
    const client = clientOf(service);
    const calls = [client.remainCredit(), client.remainCredit()];
    await service.until(() => service.requests.length === 2);
    let closed = false;
    const closes = Promise.all([client.close(), client.close()]).then(() => {
      closed = true;
    });
    await turns();
    expect(closed).toBe(false);
    for (const { socket } of service.requests) socket.write(httpResponse(credit(5)));
    expect(await Promise.all(calls)).toEqual([5n, 5n]);
    await closes;
    await service.until(() => service.open === 0);
  });

  test('close waits for a call that was made in the same turn', async () => {
    const service = await serve(credit(5));
    const client = clientOf(service);
    const call = client.remainCredit();
    await Promise.all([client.close(), expect(call).resolves.toBe(5n)]);
    expect(service.requests).toHaveLength(1);
  });

  test('close waits for calls that wait for a connection', async () => {
    const service = await RawServer.start({});
    const client = clientOf(service, { maxConnections: 1 });
    const calls = Array.from({ length: 5 }, () => client.remainCredit());
    await service.until(() => service.requests.length >= 1);
    const closed = client.close();
    for (const { socket } of service.requests) socket.write(httpResponse(credit(5)));
    const handled = new Set(service.requests);
    for (let count = handled.size; count < 5; count++) {
      await service.until(() => service.requests.length > handled.size);
      for (const request of service.requests) {
        if (!handled.has(request)) request.socket.write(httpResponse(credit(5)));
        handled.add(request);
      }
    }
    expect(await Promise.all(calls)).toEqual(new Array(5).fill(5n));
    await closed;
  });

  test('close does not wait for a call that was given up', async () => {
    const service = await RawServer.start({});
    const client = clientOf({ baseUrl: `https://127.0.0.1:${service.port}` });
    const abort = new AbortController();
    const call = client.remainCredit({}, { signal: abort.signal });
    await service.until(() => service.bytes > 0);
    abort.abort();
    await expectAbort(call, abort.signal, 'not-sent');
    await client.close();
  });
});
