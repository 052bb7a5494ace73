import { join } from 'node:path';
import ts from 'typescript';
import { startSandbox } from '../../src/sandbox';
import { blockOf } from '../support/documents';

const root = join(__dirname, '../..');

async function runProgram(block: string): Promise<void> {
  const { outputText } = ts.transpileModule(block, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true },
  });
  const load = (name: string): unknown =>
    require(name.startsWith('messaging-soap') ? join(root, 'src', name.slice('messaging-soap'.length)) : name);
  await new Function('require', 'exports', `return (async () => {${outputText}})()`)(load, {});
}

test('The TypeScript program of docs/sandbox.md runs', async () => {
  await runProgram(blockOf('docs/sandbox.md', 'ts'));
});

test('The program of docs/sandbox.md about simulated delivery runs', async () => {
  await runProgram(
    `import { MessagingClient } from 'messaging-soap';\nimport { startSandbox } from 'messaging-soap/sandbox';\nimport assert from 'node:assert/strict';\n${blockOf('docs/sandbox.md', 'js')}await client.close();\nawait sandbox.close();`,
  );
});

test('The setting of the simulated delivery in docs/sandbox-http.md is the default', async () => {
  const sandbox = await startSandbox({ delivery: true });
  try {
    expect(await (await fetch(`${sandbox.baseUrl}/sandbox/delivery`)).json()).toEqual(
      JSON.parse(blockOf('docs/sandbox-http.md', 'json')),
    );
  } finally {
    await sandbox.close();
  }
});
