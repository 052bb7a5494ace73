import { inspect } from 'node:util';
import { Client } from 'soap';
import { FaultError, RequestError, StatusError } from '../../src';
import { clientOf, invoke, respondWithSuccess } from '../support/client';
import { SAMPLES } from '../support/contract';
import { responseEnvelope, VERSIONS } from '../support/envelopes';
import { responseFixture } from '../support/fixtures';
import { httpResponse } from '../support/http-response';
import { failureOf } from '../support/outcomes';
import { type RawServer, serve } from '../support/raw-server';

/** What node-soap is known to do, and what we rely on it not doing here. Each must hold for the pinned version. */

let server: RawServer;
beforeAll(async () => {
  server = await serve(respondWithSuccess);
});

describe("node-soap's client", () => {
  afterEach(() => jest.restoreAllMocks());

  test.each(VERSIONS)("node-soap's client keeps nothing of a call in SOAP %s", async (soapVersion) => {
    const invoke = jest.spyOn(Client.prototype as unknown as { _invoke(): void }, '_invoke');
    const responses = [
      httpResponse(
        responseEnvelope(
          'SendSimpleByApikey',
          '<SendSimpleByApikeyResult/><status>200</status><statusmessage>response-canary</statusmessage>',
        ),
      ),
      httpResponse(
        responseEnvelope('SendSimpleByApikey', '<status>418</status><statusmessage>response-canary</statusmessage>'),
      ),
      responseFixture('throw.11').raw,
      httpResponse('response-canary'),
    ];
    const other = await serve(() => responses.shift() as Buffer);
    const client = clientOf(other, { soapVersion });
    const request = { ...SAMPLES.SendSimpleByApikey, message: 'request-canary' };
    const clean = () =>
      inspect(invoke.mock.contexts[0], { depth: null, showHidden: true, maxStringLength: null, maxArrayLength: null });
    await client.sendSimple(request);
    expect(clean()).toContain('SendSimpleByApikey');
    expect(clean()).not.toMatch(/secret|-canary|boom/);
    for (let failures = 0; failures < 3; failures++) {
      await failureOf(client.sendSimple(request));
      expect(clean()).not.toMatch(/secret|-canary|boom/);
    }
    await failureOf(client.sendSimple({ ...request, sender: '\u0000' }));
    expect(clean()).not.toMatch(/secret|-canary|boom/);
  });

  test("node-soap's client adds nothing to an error", async () => {
    const fields = (error: unknown) => Reflect.ownKeys(error as object).sort();
    const failing = await serve(({ body }) =>
      body.includes('RemainCredit')
        ? responseFixture('throw.11').raw
        : httpResponse(responseEnvelope('GetStatusByApikey', '<status>1</status>')),
    );
    const client = clientOf(failing);
    const fault = await failureOf(client.remainCredit());
    expect(fault).toBeInstanceOf(FaultError);
    expect(fields(fault)).toEqual([
      'code',
      'detail',
      'headers',
      'httpStatus',
      'message',
      'operation',
      'outcome',
      'reason',
      'stack',
    ]);
    const status = await failureOf(client.getStatus({ messageid: [] }));
    expect(status).toBeInstanceOf(StatusError);
    expect(fields(status)).toEqual(['message', 'operation', 'outcome', 'result', 'stack', 'status', 'statusmessage']);
    const request = await failureOf(client.getStatus({ messageid: [0.5] }));
    expect(request).toBeInstanceOf(RequestError);
    expect(fields(request)).toEqual(['field', 'message', 'operation', 'outcome', 'problems', 'stack']);
  });
});

test('a call whose request cannot be written does not affect other calls', async () => {
  const client = clientOf(server);
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? client.remainCredit()
        : invoke(client, 'SendAdvance', { ...SAMPLES.SendAdvance, unixdate: 2n ** 63n }),
    ),
  );
  const outcomes = results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.name));
  expect(outcomes).toEqual(
    Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 9007199254740993n : 'RequestError')),
  );
});
