import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { cleanUp } from '../support/clean-up';
import { openSandbox } from '../support/sandbox';

const root = join(__dirname, '../..');
const programs = [...readFileSync(join(root, 'docs/delivery.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(
  ([, text = '']) => text,
);

/** Runs a program of the document word for word, and returns the arguments of each console.log. */
async function run(program: string): Promise<unknown[][]> {
  const { outputText } = ts.transpileModule(program, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true },
  });
  const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  cleanUp(() => log.mockRestore());
  const load = (name: string): unknown => (name === 'messaging-soap' ? require('../../src') : require(name));
  await new Function('require', 'exports', `return (async () => {${outputText}})()`)(load, {});
  return log.mock.calls;
}

test('the first program of docs/delivery.md follows a message that is delivered and one that is not', async () => {
  const sandbox = await openSandbox({ delivery: true });
  process.env.MESSAGING_BASE_URL = sandbox.baseUrl;
  cleanUp(() => delete process.env.MESSAGING_BASE_URL);
  const lines = await run(programs[0] as string);
  const [first, second] = sandbox.messages.map(({ messageid }) => messageid);
  expect(lines.filter(([, , , , final]) => final === 'final')).toEqual(
    expect.arrayContaining([
      [first, expect.any(Number), '→', 10, 'final'],
      [second, expect.any(Number), '→', 11, 'final'],
    ]),
  );
});

test('the program about describeText in docs/delivery.md prints what its comment says', async () => {
  const [[printed] = []] = await run(programs[1] as string);
  const [, comment] = /\/\/ (\{.*\})/.exec(programs[1] as string) ?? [];
  expect(printed).toEqual(new Function(`return (${comment})`)());
});
