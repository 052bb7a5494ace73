import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SandboxOptions } from '../../../src/sandbox';
import { formatFirstCall, formatReceived } from '../../../src/sandbox/page/first-message';
import { makeFolder } from '../../support/folder';
import { openSandbox } from '../../support/sandbox';

const pem = (name: string) => readFileSync(join(__dirname, `../../fixtures/tls/${name}`), 'utf8');

test.each<[string, SandboxOptions, string | undefined]>([
  ['http', {}, undefined],
  ['https', { tls: { cert: pem('localhost.pem'), key: pem('localhost.key') } }, pem('localhost.pem').trim()],
])(
  'the commands of the page for curl run as they are beside a proxy of the system, over %s',
  async (_, options, certificate) => {
    const sandbox = await openSandbox(options);
    const target = { baseUrl: sandbox.baseUrl, namespace: sandbox.namespace, apiKey: sandbox.apiKey, certificate };
    const proxy = 'http://127.0.0.1:9';
    const env = { PATH: process.env.PATH, http_proxy: proxy, https_proxy: proxy, ALL_PROXY: proxy };
    for (const command of [formatFirstCall(target), formatReceived(target)]) {
      await promisify(execFile)('sh', ['-ec', command], { env, cwd: makeFolder() });
    }
    expect(sandbox.messages).toMatchObject([{ message: 'hello' }]);
  },
);
