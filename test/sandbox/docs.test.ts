import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { startSandbox } from '../../src/sandbox';

const root = join(__dirname, '../..');
const text = readFileSync(join(root, 'docs/sandbox.md'), 'utf8');

function blockOf(language: string): string {
  const [, block] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(text) ?? [];
  if (block === undefined) throw new Error(`no block in ${language}`);
  return block;
}

async function runProgram(block: string): Promise<void> {
  const { outputText } = ts.transpileModule(block, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true },
  });
  const load = (name: string): unknown =>
    require(name.startsWith('messaging-soap') ? join(root, 'src', name.slice('messaging-soap'.length)) : name);
  await new Function('require', 'exports', `return (async () => {${outputText}})()`)(load, {});
}

test('The TypeScript program of docs/sandbox.md runs', async () => {
  await runProgram(blockOf('ts'));
});

test('The program of docs/sandbox.md about simulated delivery runs', async () => {
  await runProgram(
    `import { MessagingClient } from 'messaging-soap';\nimport { startSandbox } from 'messaging-soap/sandbox';\nimport assert from 'node:assert/strict';\n${blockOf('js')}await client.close();\nawait sandbox.close();`,
  );
});

test('The setting of the simulated delivery in docs/sandbox.md is the default', async () => {
  const sandbox = await startSandbox({ delivery: true });
  try {
    expect(await (await fetch(`${sandbox.baseUrl}/sandbox/delivery`)).json()).toEqual(JSON.parse(blockOf('json')));
  } finally {
    await sandbox.close();
  }
});
