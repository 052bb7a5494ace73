import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { startSandbox } from '../../src/sandbox';
import { describeStack } from '../support/stack';

const root = join(__dirname, '../..');
const text = readFileSync(join(root, 'docs/sandbox.md'), 'utf8');

function blockOf(language: string): string {
  const [, block] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(text) ?? [];
  if (block === undefined) throw new Error(`no block in ${language}`);
  return block;
}

test('The TypeScript program of docs/sandbox.md runs', async () => {
  const block = blockOf('ts');
  const { outputText } = ts.transpileModule(block, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true },
  });
  const load = (name: string): unknown =>
    require(name.startsWith('messaging-soap') ? join(root, 'src', name.slice('messaging-soap'.length)) : name);
  await new Function('require', 'exports', `return (async () => {${outputText}})()`)(load, {});
});

describeStack({ name: 'curl', packages: 'curl', probe: ['curl', '--version'] }, () => {
  test('The shell commands of docs/sandbox.md work word for word', async () => {
    const sandbox = await startSandbox();
    try {
      const [first = '', ...rest] = blockOf('sh').split('\n');
      expect(first).toBe('SANDBOX=http://127.0.0.1:8080');
      const script = ['set -ex', `SANDBOX=${sandbox.baseUrl}`, ...rest].join('\n');
      const { stdout } = await promisify(execFile)('sh', ['-c', script]);
      expect(stdout).toContain('"statustext":"delivered"');
      expect(stdout).toContain('"reason":"out of order"');
      expect(stdout).toContain('"operation":"SendSimpleByApikey"');
      expect(sandbox.messages).toMatchObject([{ message: 'hello', status: 10 }]);
      expect(sandbox.replies).toEqual([]);
    } finally {
      await sandbox.close();
    }
  });
});
