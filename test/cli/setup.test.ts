import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopSize } from '../support/loops';
import { startProxy } from '../support/proxy';
import { RawServer } from '../support/raw-server';
import { openSandbox } from '../support/sandbox';
import { config, home, KEY, keyFile, profiles, sandbox, setup } from './setup-support';
import { messaging, outcomeOf, startProcess } from './support';

describe('with options', () => {
  test.each([
    ['the base URL', (url: string) => url],
    ['the base URL with a slash', (url: string) => `${url}/`],
    ['the address of the endpoint', (url: string) => `${url}/soap/v1.asmx`],
    ['the address of the WSDL', (url: string) => `${url}/soap/v1.asmx?wsdl`],
  ])('setup takes %s, and reads the namespace from the WSDL of the service', async (_, address) => {
    const { code, stderr } = await setup([address(sandbox.baseUrl), ...keyFile(), '--success-statuses', '200']);
    expect(stderr).toContain(
      `namespace http://provider.example/, read from ${sandbox.baseUrl}/soap/v1.asmx?wsdl\nprofile default is written`,
    );
    expect(profiles()).toMatchObject({
      default: { namespace: 'http://provider.example/', apiKeyFile: join(home, 'key'), successStatuses: [200] },
    });
    expect(code).toBe(0);
    expect(await messaging(['remain-credit'], { environment: { HOME: home } })).toMatchObject({ code: 0 });
  });

  test('setup reads the namespace through the proxy', async () => {
    const { service: proxy, asked } = await startProxy();
    const args = [sandbox.baseUrl, ...keyFile(), '--success-statuses', '200', '--proxy', proxy.baseUrl];
    const { code, stderr } = await setup(args);
    expect(stderr).toContain(`namespace http://provider.example/, read from ${sandbox.baseUrl}/soap/v1.asmx?wsdl\n`);
    // The first fetch, and the WSDL and the call of the checks.
    expect(asked.map(({ requestLine }) => requestLine)).toEqual(
      Array(3).fill(`CONNECT ${new URL(sandbox.baseUrl).host} HTTP/1.1`),
    );
    expect(code).toBe(0);
  });

  test('setup shows the status of a response without judging it, until the success statuses are known', async () => {
    const { code, stdout, stderr } = await setup([sandbox.baseUrl, ...keyFile()]);
    expect(stdout).toMatch(
      /RemainCredit,skipped,"status 200 \(ok\), credit \d+: ask your provider whether this status/,
    );
    expect(stderr).toMatch(
      /1\. ask your provider which statuses mean success, then: messaging setup --profile default --success-statuses/,
    );
    expect(profiles().default).not.toHaveProperty('successStatuses');
    expect(code).toBe(0);
  });

  test('setup changes one setting of a profile, and leaves the other settings and profiles', async () => {
    const other = { baseUrl: 'http://other.example' };
    mkdirSync(join(home, '.config/messaging'), { recursive: true });
    writeFileSync(config, JSON.stringify({ profiles: { other } }));
    await setup([sandbox.baseUrl, ...keyFile(), '--profile', 'provider']);
    const { stderr } = await setup(['--profile', 'provider', '--success-statuses', '200,201', '--dates', 'seconds']);
    expect(profiles()).toEqual({
      other,
      provider: {
        baseUrl: sandbox.baseUrl,
        namespace: 'http://provider.example/',
        apiKeyFile: join(home, 'key'),
        successStatuses: [200, 201],
        dates: 'seconds',
      },
    });
    expect(stderr).not.toContain('--success-statuses');
  });

  test('setup does not read variables, and says which of them differ from the profile', async () => {
    const environment = { MESSAGING_BASE_URL: 'http://127.0.0.1:1', MESSAGING_NAMESPACE: 'http://sandbox.example/' };
    const { code, stderr } = await setup([sandbox.baseUrl, ...keyFile(), '--success-statuses', '200'], environment);
    expect(stderr).toContain(
      'ignored because of --profile default: MESSAGING_BASE_URL (http://127.0.0.1:1), MESSAGING_NAMESPACE\n',
    );
    expect(profiles()).toMatchObject({ default: { baseUrl: sandbox.baseUrl, namespace: 'http://provider.example/' } });
    expect(code).toBe(0);
  });

  test('setup for another service asks for --replace, and takes nothing of the earlier one but confirm', async () => {
    await setup([sandbox.baseUrl, ...keyFile(), '--success-statuses', '200', '--timeout-ms', '5000', '--confirm']);
    const before = profiles();
    const other = await openSandbox({ namespace: 'http://other.example/' });
    const refused = await setup([other.baseUrl, ...keyFile()]);
    expect(refused).toMatchObject({
      code: 2,
      stderr: `error: profile default is for ${sandbox.baseUrl}: --replace changes it, and --profile NAME writes another profile; nothing was written\n`,
    });
    const { code, stderr } = await setup([other.baseUrl, '--replace']);
    expect(stderr).toMatch(/error: missing: --api-key-file; nothing was written\n$/);
    expect(code).toBe(2);
    expect(profiles()).toEqual(before);
    writeFileSync(join(home, 'other'), `${other.apiKey}\n`, { mode: 0o600 });
    const written = await setup([other.baseUrl, '--api-key-file', join(home, 'other'), '--replace']);
    expect(profiles()).toEqual({
      default: {
        baseUrl: other.baseUrl,
        namespace: 'http://other.example/',
        apiKeyFile: join(home, 'other'),
        confirm: true,
      },
    });
    expect(written.stderr).toContain(
      `this profile no longer uses ${join(home, 'key')}; other programs may, so it was not deleted\n`,
    );
    expect(readFileSync(join(home, 'key'), 'utf8')).toBe(`${KEY}\n`);
  });

  test('a profile that only MESSAGING_PROFILE names is not changed without --replace', async () => {
    await setup([sandbox.baseUrl, ...keyFile(), '--profile', 'live']);
    const before = profiles();
    const environment = { MESSAGING_PROFILE: 'live' };
    expect(await setup(['--dates', 'seconds'], environment)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'error: profile live is named by MESSAGING_PROFILE, and is for http://127.0.0.1:',
      ),
    });
    expect(profiles()).toEqual(before);
    await setup(['--dates', 'seconds', '--replace'], environment);
    expect(profiles()).toMatchObject({ live: { dates: 'seconds' } });
  });

  test.each<[string, () => string[]]>([
    ['a key that the service refuses', () => []],
    ['a service that does not respond', () => ['--proxy', 'http://127.0.0.1:1']],
  ])('a new key for the same service is not written with %s, unless --replace says so', async (_, options) => {
    await setup([sandbox.baseUrl, ...keyFile(), '--success-statuses', '200']);
    const before = profiles();
    writeFileSync(join(home, 'wrong'), 'wrong\n', { mode: 0o600 });
    const wrong = ['--api-key-file', join(home, 'wrong'), ...options()];
    const { code, stderr } = await setup(wrong);
    expect(stderr).toMatch(
      /the service did not accept the new API key, so nothing was written; --replace writes it untried\n$/,
    );
    expect(code).toBe(options().length > 0 ? 5 : 3);
    expect(profiles()).toEqual(before);
    await setup([...wrong, '--replace']);
    expect(profiles()).toMatchObject({ default: { apiKeyFile: join(home, 'wrong') } });
  });

  test.each<[string, () => string[], number, RegExp]>([
    ['a wrong API key', () => ['--success-statuses', '200'], 3, /RemainCredit,failed,.*; check the API key; /],
    ['a wrong API key, before any status is known', () => [], 3, /RemainCredit,failed,.*; check the API key; /],
    [
      'a wrong namespace',
      () => ['--namespace', 'http://provider.example', ...keyFile()],
      2,
      /WSDL,failed,"?the service's namespace is http:\/\/provider\.example\/, not http:\/\/provider\.example: set/,
    ],
    [
      'a status that is not listed',
      () => ['--success-statuses', '1', ...keyFile()],
      3,
      /RemainCredit,failed,.*; if your provider says that status 200 means success, add it/,
    ],
  ])('%s fails the check, and the first step that is left is to fix it', async (_, options, exitCode, row) => {
    writeFileSync(join(home, 'wrong'), 'wrong\n', { mode: 0o600 });
    const { code, stdout, stderr } = await setup([
      ...[sandbox.baseUrl, '--api-key-file', join(home, 'wrong')],
      ...options(),
    ]);
    expect(stdout).toMatch(row);
    expect(stderr).toMatch(/Left to do:\n {2}1\. fix what failed, then run: messaging doctor --profile default\n/);
    expect(code).toBe(exitCode);
  });

  test('without a WSDL, the namespace is asked for, and nothing is written', async () => {
    const service = await RawServer.start(({ socket }) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'));
    const { code, stderr } = await setup([service.baseUrl, ...keyFile()]);
    expect(stderr).toMatch(/^no WSDL: http:.*404\nerror: missing: --namespace; nothing was written\n$/);
    expect(code).toBe(2);
    expect(() => readFileSync(config)).toThrow('ENOENT');
  });

  test.each([
    [['--success-statuses', 'x', '--timeout-ms', '-1'], /--success-statuses: "x" is not.*; --timeout-ms: -1 is not/],
    [['--success-statuses='], /--success-statuses: empty/],
    [['--api-key-file', 'no-such-file'], /--api-key-file: ENOENT/],
    [['--api-key-file', '/dev/null'], /--api-key-file: \/dev\/null is not a file that stays/],
    [['--profile', '../x'], /--profile: "\.\.\/x": use letters/],
    [['--profile', 'aux'], /--profile: "aux": use letters/],
    [['--base-url', 'http://127.0.0.1:1'], /give the URL once, not also --base-url/],
  ])('setup refuses %j before it writes anything', async (options, message) => {
    const { code, stderr } = await setup([sandbox.baseUrl, ...options]);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    expect(() => readFileSync(config)).toThrow('ENOENT');
  });
});

test('the mode of the configuration file stays, so that whoever could read it still can', async () => {
  mkdirSync(join(home, '.config/messaging'), { recursive: true });
  writeFileSync(config, '{}');
  chmodSync(config, 0o640);
  await setup([sandbox.baseUrl, ...keyFile()]);
  expect(statSync(config).mode & 0o777).toBe(0o640);
  expect(profiles()).toHaveProperty('default');
});

test('setups at the same time lose no profile', async () => {
  const names = Array.from({ length: 3 }, (_, index) => `p${index}`);
  const outcomes = await Promise.all(
    names.map((name) =>
      outcomeOf(startProcess(['setup', sandbox.baseUrl, ...keyFile(), '--profile', name], { HOME: home })),
    ),
  );
  expect(outcomes.map(({ code }) => code)).toEqual(names.map(() => 0));
  expect(Object.keys(profiles()).sort()).toEqual(names);
});

test('a setup that is killed at any instant leaves no lock, and a configuration that can be read', async () => {
  await setup([sandbox.baseUrl, ...keyFile(), '--success-statuses', '200']);
  for (let count = 0; count < loopSize(200); count++) {
    const child = startProcess(['setup', '--profile', 'default', '--timeout-ms', String(1000 + count)], { HOME: home });
    // Before the pause: a fast setup ends in it.
    const closed = once(child, 'close');
    await sleep(60 * (count % 8));
    child.kill('SIGKILL');
    await closed;
    expect(profiles()).toMatchObject({ default: { baseUrl: sandbox.baseUrl, apiKeyFile: join(home, 'key') } });
  }
  expect(await setup(['--dates', 'seconds'])).toMatchObject({ code: 0 });
});
