import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../support/folder';
import { AUTHORITY, PROVIDER_KEY, startProvider, walkOn } from './provider';
import { outcomeOf, startProcess } from './support';

test('the commands that setup prints lead from options to a program, and no value is given twice', async () => {
  const home = makeFolder();
  const provider = await startProvider();
  writeFileSync(join(home, 'provider.key'), `${PROVIDER_KEY}\n`, { mode: 0o600 });
  const setup = async (...options: string[]) =>
    outcomeOf(startProcess(['setup', '--profile', 'live', ...options], { HOME: home }));
  const key = ['--api-key-file', join(home, 'provider.key')];
  // Without the authority, the message names the option.
  const refused = await setup(`${provider.baseUrl}/soap/v1.asmx?wsdl`, ...key);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(
    /^no WSDL: .*; --ca-file names the file of your provider's certificate authority\nerror: missing: --namespace/m,
  );
  const settings = ['--success-statuses', '1', '--final-statuses', '10', '--dates', 'milliseconds'];
  const defaults = ['--defaults', '{"msgmode":1,"unixdate":"0"}', '--ca-file', AUTHORITY];
  const { code, stdout, stderr } = await setup(provider.baseUrl, ...key, ...settings, ...defaults);
  expect(stdout).toMatch(/^RemainCredit,ok,credit \d+\r$/m);
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain(PROVIDER_KEY);
  await walkOn(stderr, home, provider, { SENDER: '3000', RECEPTOR: '09120000001' });
});
