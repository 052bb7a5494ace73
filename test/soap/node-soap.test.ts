import { inspect } from 'node:util';
import { Client } from 'soap';
import {
  FaultError,
  type MessagingClient,
  type OperationName,
  RequestError,
  type SoapVersion,
  StatusError,
} from '../../src';
import {
  answerFixture,
  answerSuccess,
  createClient,
  ENVELOPE_NAMESPACES,
  httpResponse,
  invoke,
  parseXml,
  payloadOf,
  type RawServer,
  rejection,
  responseEnvelope,
  SAMPLES,
  startServer,
  VERSIONS,
} from './support';

/** What node-soap is known to do, and what we rely on it not doing here. Each must hold for the pinned version. */

let server: RawServer;
beforeAll(async () => {
  server = await startServer(answerSuccess);
});

function versionOf(body: string): SoapVersion | undefined {
  const { uri } = parseXml(body);
  return VERSIONS.find((version) => ENVELOPE_NAMESPACES[version] === uri);
}

test('clients of different versions, namespaces and keys in one process do not influence each other', async () => {
  const settings = VERSIONS.flatMap((soapVersion) =>
    ['http://one.example/', 'http://two.example'].map((namespace) => ({
      soapVersion,
      namespace,
      apiKey: `${soapVersion} ${namespace}`,
    })),
  );
  const clients = settings.map((options) => createClient(server, options));
  // Created first, used last, and used again.
  for (const index of [3, 2, 1, 0, 0, 1, 2, 3]) {
    const { soapVersion, namespace, apiKey } = settings[index] as (typeof settings)[number];
    await (clients[index] as MessagingClient).remainCredit();
    const request = server.requests.at(-1);
    const action = request?.headers.find(([name]) => name === 'SOAPAction')?.[1];
    expect(versionOf(request?.body ?? '')).toBe(soapVersion);
    expect(action).toBe(soapVersion === '1.1' ? `"${namespace}RemainCreditByApiKey"` : undefined);
    expect(payloadOf(request?.body ?? '')).toMatchObject({ uri: namespace, children: [{ text: apiKey }, {}, {}] });
  }
});

describe("node-soap's client", () => {
  afterEach(() => jest.restoreAllMocks());

  test.each(VERSIONS)('keeps nothing of a call in SOAP %s', async (soapVersion) => {
    const invoke = jest.spyOn(Client.prototype as unknown as { _invoke(): void }, '_invoke');
    const answers = [
      httpResponse(
        responseEnvelope(
          'SendSimpleByApikey',
          '<SendSimpleByApikeyResult/><status>200</status><statusmessage>answer-canary</statusmessage>',
        ),
      ),
      httpResponse(
        responseEnvelope('SendSimpleByApikey', '<status>418</status><statusmessage>answer-canary</statusmessage>'),
      ),
      answerFixture('throw.11').raw,
      httpResponse('answer-canary'),
    ];
    const other = await startServer(() => answers.shift() as Buffer);
    const client = createClient(other, { soapVersion });
    const request = { ...SAMPLES.SendSimpleByApikey, message: 'request-canary' };
    const clean = () =>
      inspect(invoke.mock.contexts[0], { depth: null, showHidden: true, maxStringLength: null, maxArrayLength: null });
    await client.sendSimple(request);
    expect(clean()).toContain('SendSimpleByApikey');
    expect(clean()).not.toMatch(/secret|-canary|boom/);
    for (let failures = 0; failures < 3; failures++) {
      await rejection(client.sendSimple(request));
      expect(clean()).not.toMatch(/secret|-canary|boom/);
    }
    await rejection(client.sendSimple({ ...request, sender: '\u0000' }));
    expect(clean()).not.toMatch(/secret|-canary|boom/);
  });

  test('adds nothing to an error', async () => {
    const fields = (error: unknown) => Reflect.ownKeys(error as object).sort();
    const failing = await startServer(({ body }) =>
      body.includes('RemainCredit')
        ? answerFixture('throw.11').raw
        : httpResponse(responseEnvelope('GetStatusByApikey', '<status>1</status>')),
    );
    const client = createClient(failing);
    const fault = await rejection(client.remainCredit());
    expect(fault).toBeInstanceOf(FaultError);
    expect(fields(fault)).toEqual([
      'code',
      'detail',
      'httpStatus',
      'message',
      'operation',
      'outcome',
      'reason',
      'stack',
    ]);
    const status = await rejection(client.getStatus({ messageid: [] }));
    expect(status).toBeInstanceOf(StatusError);
    expect(fields(status)).toEqual(['message', 'operation', 'outcome', 'result', 'stack', 'status', 'statusmessage']);
    const request = await rejection(client.getStatus({ messageid: [0.5] }));
    expect(request).toBeInstanceOf(RequestError);
    expect(fields(request)).toEqual(['field', 'message', 'operation', 'outcome', 'stack']);
  });
});

test('100 concurrent calls of two clients get their own answers, whatever the order of these', async () => {
  const echo = await startServer(async ({ body }) => {
    const [id, ...rest] = payloadOf(body).children[1]?.children.map(({ text }) => text) ?? [];
    // Later requests are answered sooner.
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 100 - Number(id))));
    const operation = /<(GetStatusByApikey|CancelByApikey) /.exec(body)?.[1] as OperationName;
    const sign = operation === 'CancelByApikey' ? '-' : '';
    const content = `<${operation}Result><int>${sign}${id}</int></${operation}Result><status>200</status><statusmessage>${id} ${rest.length} ${versionOf(body)}</statusmessage>`;
    return httpResponse(responseEnvelope(operation, content));
  });
  const clients = VERSIONS.map((soapVersion) => createClient(echo, { soapVersion, maxConnections: 100 }));
  const calls = Array.from({ length: 100 }, async (_, index) => {
    const version = VERSIONS[index % 2] as SoapVersion;
    const client = clients[index % 2] as MessagingClient;
    const operation = index % 3 === 0 ? 'CancelByApikey' : 'GetStatusByApikey';
    const messageid = [index + 1, ...Array.from({ length: index }, () => 7)];
    const expected = operation === 'CancelByApikey' ? -(index + 1) : index + 1;
    expect(await client.call(operation, { messageid })).toEqual({
      result: [expected],
      status: 200,
      statusmessage: `${index + 1} ${index} ${version}`,
    });
  });
  await Promise.all(calls);
  expect(echo.requests).toHaveLength(100);
});

test('a call that fails to be written leaves those around it alone', async () => {
  const client = createClient(server);
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? client.remainCredit()
        : invoke(client, 'SendAdvance', { ...SAMPLES.SendAdvance, unixdate: 2n ** 63n }),
    ),
  );
  const outcomes = results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.name));
  expect(outcomes).toEqual(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 1000n : 'RequestError')));
});
