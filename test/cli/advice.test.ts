import type { Sandbox } from '../../src/sandbox';
import { envelope } from '../support/envelopes';
import { responseFixture } from '../support/fixtures';
import { httpResponse } from '../support/http-response';
import { RawServer } from '../support/raw-server';
import { openSandbox } from '../support/sandbox';
import { environmentOf, messaging } from './support';

// The first words of advice after a mistake in a setting, at the sandbox and at a service that responds as ASP.NET
// does.

const KEY_ADVICE = 'check the API key; the command config shows where it comes from';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});

/** The advice of `remain-credit` and of `doctor`: what follows the message of the error. */
async function adviceFor(environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const { stderr } = await messaging(['remain-credit'], { environment });
  const { stdout } = await messaging(['doctor', '--output', 'json'], { environment });
  const [failed] = (JSON.parse(stdout) as { result: string; detail: string }[]).filter(
    (row) => row.result === 'failed',
  );
  // No message of these tests has a semicolon before its advice.
  return [stderr.trim(), failed?.detail ?? ''].map((text) => text.slice(text.indexOf('; ') + 1).trim());
}

const fault = (reason: string) =>
  envelope(`<soap:Fault><faultcode>soap:Server</faultcode><faultstring>${reason}</faultstring><detail /></soap:Fault>`);
const result = (status: number, words: string, credit = 0) =>
  envelope(
    `<RemainCreditByApiKeyResponse xmlns="http://messaging.example/"><RemainCreditByApiKeyResult>${credit}</RemainCreditByApiKeyResult>` +
      `<status>${status}</status><statusmessage>${words}</statusmessage></RemainCreditByApiKeyResponse>`,
  );
const failing = (body: string) => httpResponse({ body, status: 500 });

/** Settings of a service that gives one response to each request. */
async function serviceWith(response: Buffer | string): Promise<NodeJS.ProcessEnv> {
  const service = await RawServer.start(({ socket }) => socket.end(response));
  return environmentOf({ baseUrl: service.baseUrl, namespace: 'http://messaging.example/', apiKey: 'k3y' });
}

describe('at the sandbox', () => {
  test.each<[string, NodeJS.ProcessEnv, RegExp, RegExp]>([
    ['API key', { MESSAGING_API_KEY: 'wrong' }, RegExp(`^${KEY_ADVICE}$`), RegExp(`^${KEY_ADVICE}$`)],
    [
      'namespace',
      { MESSAGING_NAMESPACE: 'http://messaging.example' },
      /^check the namespace and its final slash; the command doctor compares --namespace/,
      /: set --namespace \(or MESSAGING_NAMESPACE\) to http:\/\/messaging\.example\/$/,
    ],
    [
      'success status',
      { MESSAGING_SUCCESS_STATUSES: '1' },
      /^if your provider says that status 200 means success, add it to --success-statuses$/,
      /^if your provider says that status 200 means success, add it to --success-statuses$/,
    ],
  ])('the first advice about a wrong %s is about this setting', async (_, mistake, command, doctor) => {
    const [first, second] = await adviceFor({ ...environmentOf(sandbox), ...mistake });
    expect(first).toMatch(command);
    expect(second).toMatch(doctor);
  });

  test('the first advice about a wrong base URL is about the base URL', async () => {
    const environment = { ...environmentOf(sandbox), MESSAGING_BASE_URL: `${sandbox.baseUrl}/api` };
    const [first, second] = await adviceFor(environment);
    expect(first).toMatch(/check the base URL; the command doctor checks --base-url$/);
    expect(second).toMatch(/check the base URL; --base-url sets it$/);
  });
});

describe('at a service that responds as ASP.NET does', () => {
  test.each([
    ['a fault of the code', failing(fault('Server was unable to process request. ---&gt; Invalid API key'))],
    ['a fault in Persian', failing(fault('Server was unable to process request. ---&gt; کلید نامعتبر است'))],
    ['a fault that quotes the key', failing(fault('Server was unable to process request. ---&gt; k3y is unknown'))],
    ['a status with words', httpResponse(result(100, 'The ApiKey is not valid'))],
    ['a status that looks like success', httpResponse(result(201, 'apikey expired', 5))],
    ['HTTP status 401', httpResponse({ status: 401 })],
    ['a page of HTTP status 403', httpResponse({ body: '<html>Invalid api-key</html>', status: 403 })],
  ])('when %s names the API key, the first advice is to check the key', async (_, response) => {
    expect(await adviceFor(await serviceWith(response))).toEqual([KEY_ADVICE, KEY_ADVICE]);
  });

  test.each([
    ['a namespace of SOAP 1.2', () => responseFixture('wrong-namespace.12').raw, /^check the namespace/],
    [
      'another path',
      () => failing('Request format is unrecognized for URL unexpectedly ending in &#39;/x&#39;.'),
      /^check the base URL/,
    ],
    ['a failure of the code', () => responseFixture('throw.11').raw, /^(?!.*(check the API key|success-statuses))/],
    [
      'a status that refuses',
      () => httpResponse(result(412, 'invalid line number', 3)),
      /^ask your provider what status 412 means$/,
    ],
    ['a status of 0 and nothing else', () => httpResponse(result(0, '')), /^ask your provider what status 0 means$/],
    ['a negative status', () => httpResponse(result(-5, '', 7)), /^ask your provider what status -5 means$/],
    [
      'a status with a result',
      () => httpResponse(result(1, 'ok', 7)),
      /^if your provider says that status 1 means success, add it/,
    ],
  ])('the advice about %s follows from the response', async (_, response, advice) => {
    for (const text of await adviceFor(await serviceWith(response()))) expect(text).toMatch(advice);
  });
});
