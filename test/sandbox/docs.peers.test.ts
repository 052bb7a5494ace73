import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startSandbox } from '../../src/sandbox';
import { blockOf } from '../support/documents';
import { PYTHON } from '../support/python';
import { call, KEY } from '../support/raw-client';

test('The Python program of docs/sandbox-http.md waits for the message that another program sends', async () => {
  const sandbox = await startSandbox();
  try {
    const program = blockOf('docs/sandbox-http.md', 'python').replace('http://127.0.0.1:8080', sandbox.baseUrl);
    const ended = promisify(execFile)(PYTHON, ['-c', program]);
    // The message is sent before or while the program waits. It finds the message in both cases.
    await call(sandbox, '1.1', 'SendAdvance', `<apikey>${KEY}</apikey><message>other</message>`);
    const children = `<apikey>${KEY}</apikey><message>hello</message><receptor>0912</receptor>`;
    await call(sandbox, '1.1', 'SendAdvance', children);
    expect((await ended).stdout).toBe('0912 queued\n');
  } finally {
    await sandbox.close();
  }
});

test('The shell commands of docs/sandbox-http.md work word for word', async () => {
  const sandbox = await startSandbox();
  try {
    const [first = '', ...rest] = blockOf('docs/sandbox-http.md', 'sh').split('\n');
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
