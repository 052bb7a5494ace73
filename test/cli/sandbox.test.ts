import { EventEmitter } from 'node:events';
import { invocationOf } from '../../src/cli/process';
import { quoteForShell } from '../../src/shell-quote';
import { Capture, messaging, type Outcome, shellWords } from './support';

/** Runs a sandbox while something is done with what it printed. */
async function withSandbox(args: readonly string[], use: (printed: string) => Promise<void>): Promise<Outcome> {
  const signals = new EventEmitter();
  const stdout = new Capture();
  const environment = { MESSAGING_NAMESPACE: 'http://real.example/', MESSAGING_API_KEY: 'real-key' };
  const outcome = messaging(args, { signals, stdout, environment });
  while (!stdout.text.includes('Ctrl-C')) await new Promise((resolve) => setTimeout(resolve, 5));
  try {
    await use(stdout.text);
  } finally {
    signals.emit('SIGINT');
  }
  return outcome;
}

/** The variables that the printed lines set. */
function exportsIn(printed: string): NodeJS.ProcessEnv {
  const assignments = [...printed.matchAll(/^export (.*)$/gm)].map(
    ([, assignment = '']) => shellWords(assignment)[0] ?? '',
  );
  return Object.fromEntries(assignments.map((text) => text.split(/=(.*)/s)));
}

test('the sandbox prints variables with which a call reaches it, and ends with 0', async () => {
  const outcome = await withSandbox(['sandbox', '--port', '0'], async (printed) => {
    expect(printed).toMatch(
      /^Sandbox ready at http:\/\/127\.0\.0\.1:\d+\/soap\/v1\.asmx\nNamespace {2}http:\/\/messaging\.example\/\nAPI key {4}sandbox-key\n/,
    );
    // A real service's key and namespace are not the sandbox's.
    expect(printed).not.toContain('real');
    expect(await messaging(['remain-credit'], { environment: exportsIn(printed) })).toMatchObject({ code: 0 });
  });
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
});

test('namespace and key count before the command as well, and every given key is accepted', async () => {
  await withSandbox(
    ['--namespace', 'http://a.example/', '--api-key', 'k', 'sandbox', '--port', '0'],
    async (printed) => {
      expect(exportsIn(printed)).toMatchObject({ MESSAGING_NAMESPACE: 'http://a.example/', MESSAGING_API_KEY: 'k' });
    },
  );
  await withSandbox(
    ['sandbox', '--port=0', '--api-key', 'first', '--api-key', 'second', '--strict'],
    async (printed) => {
      for (const key of ['first', 'second']) {
        const environment = { ...exportsIn(printed), MESSAGING_API_KEY: key };
        expect(await messaging(['remain-credit'], { environment })).toMatchObject({ code: 0 });
      }
    },
  );
});

test('a quoted argument is what a shell reads back', () => {
  for (const text of ['', 'plain', "it's", '$HOME `x` "y" \\', 'سلام', 'a b', '*', '~', '\n', '-n', '#', '!']) {
    expect(shellWords(quoteForShell(text))).toEqual([text]);
  }
});

test.each([
  ['messaging', ['/usr/bin/node', '/usr/local/bin/messaging'], []],
  ['/srv/app/node_modules/.bin/messaging', ['/usr/bin/node', '/srv/app/node_modules/.bin/messaging'], []],
  ["/usr/bin/node -r x '/my app/messaging.js'", ['/usr/bin/node', '/my app/messaging.js'], ['-r', 'x']],
])('a program started in this way is called again as %s', (expected, argv, execArgv) => {
  expect(invocationOf({ argv, execArgv, execPath: '/usr/bin/node' })).toBe(expected);
});
