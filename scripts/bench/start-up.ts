import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Bench } from './bench';
import { ROOT } from './clients';
import { API_KEY, idAt, NAMESPACE } from './data';
import { median, type Results, ratioTarget, type Target } from './results';

/** Measures one call on the command line: the time by the clock from start to end, in an empty environment. */
export async function measureStartUp({ plan, folder, url, earlier, log }: Bench): Promise<Results> {
  log('start-up');
  const { origin } = new URL(url);
  const http = `require('node:http').request('${url}', { method: 'POST' }, (response) => response.resume()).end('<status>1</status></RemainCreditByApiKey>')`;
  const nodeSoap = `require('soap').createClientAsync('messaging.wsdl', {}, '${url}').then((client) => client.RemainCreditByApiKeyAsync({ apikey: '${API_KEY}', status: 0, statusmessage: '' }))`;
  const messaging = (root: string, command: string) => [join(root, 'dist/bin/messaging.js'), command];
  const commands: Record<string, readonly string[]> = {
    'node -e 0': ['-e', '0'],
    'a request with node:http': ['-e', http],
    'a script with node-soap': ['-e', nodeSoap],
    'messaging --version': messaging(ROOT, '--version'),
    'messaging remain-credit': messaging(ROOT, 'remain-credit'),
    "require('messaging-soap')": ['-e', `require(${JSON.stringify(join(ROOT, 'dist/src'))})`],
    ...(earlier && { 'an earlier commit': messaging(earlier, 'remain-credit') }),
  };
  const env = {
    PATH: process.env.PATH,
    MESSAGING_BASE_URL: origin,
    MESSAGING_NAMESPACE: NAMESPACE,
    MESSAGING_API_KEY: API_KEY,
    MESSAGING_SUCCESS_STATUSES: '200',
  };
  const rounds: Record<string, number[]> = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = -1; round < plan.startRounds; round++) {
    for (const [name, args] of Object.entries(commands)) {
      const start = performance.now();
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, cwd: folder, encoding: 'utf8' });
      const milliseconds = performance.now() - start;
      const isRight = !args.includes('remain-credit') || stdout.includes(String(idAt(0)));
      if (status !== 0 || !isRight) throw new Error(`${name} ended with ${status}: ${stdout}${stderr}`);
      // The first round brings the files into the system's cache.
      if (round >= 0) rounds[name]?.push(milliseconds);
    }
  }
  const target = (what: string, against: string, limit?: number): Target => {
    const named = (name: string) => `${name} (${median(rounds[name] ?? []).toFixed(0)} ms)`;
    return ratioTarget(named(what), rounds[what] ?? [], { name: named(against), rounds: rounds[against] ?? [] }, limit);
  };
  const targets = [
    target('messaging remain-credit', 'node -e 0', 3),
    target('messaging remain-credit', 'a script with node-soap', 0.7),
    target('a request with node:http', 'node -e 0'),
    target('messaging --version', 'node -e 0'),
    target("require('messaging-soap')", 'node -e 0'),
    ...(earlier ? [target('messaging remain-credit', 'an earlier commit', 1.05)] : []),
  ];
  return { targets };
}
