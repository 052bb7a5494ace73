import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { cleanUp } from '../support/clean-up';
import { delay } from '../support/clock';
import { isFull, testInFull } from '../support/loops';
import { programPath, ROOT } from '../support/process';

/** A program whose garbage collector runs when it is told to, and which writes lines. */
class Program {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly lines: AsyncIterableIterator<string>;
  errors = '';

  constructor(name: 'service' | 'kept-objects' | 'soak', ...args: string[]) {
    this.#child = spawn(process.execPath, ['--expose-gc', programPath(name), ...args], { cwd: ROOT, env: {} });
    this.#child.stderr.on('data', (text) => (this.errors += text));
    this.lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
    cleanUp(() => this.#child.kill());
  }

  /** Returns the next line. */
  async next(): Promise<string> {
    const { done, value } = await this.lines.next();
    if (done) throw new Error(`the program has ended: ${this.errors}`);
    return value;
  }

  /** Returns the bytes of the heap that are in use after a garbage collection. */
  async heap(): Promise<number> {
    this.#child.stdin.write('heap\n');
    return Number(await this.next());
  }

  /** Ends the input of the program. */
  end(): void {
    this.#child.stdin.end();
  }
}

test('no way to use the client keeps objects', async () => {
  const service = new Program('service');
  // The costliest way has half of these uses, which is still more than the growth that kept-objects.ts allows.
  const uses = isFull ? 2000 : 80;
  const program = new Program('kept-objects', await service.next(), String(uses));
  const lines: string[] = [];
  for await (const line of program.lines) lines.push(line);
  expect(program.errors).toBe('');
  expect(lines.length).toBeGreaterThan(25);
  expect(JSON.parse(lines.at(-1) as string)).toEqual({});
});

/** The growth that counts as none, in bytes. In ten minutes, 30 bytes that are kept for each use are more. */
const NO_GROWTH = 2 ** 20;

testInFull(
  'in ten minutes of all ways, mixed, the heaps of a client and of a sandbox do not grow',
  async () => {
    const service = new Program('service');
    const client = new Program('soak', await service.next());
    const heaps = { client: [] as number[], service: [] as number[] };
    for (let minute = 0; minute < 10; minute++) {
      await delay(60_000);
      heaps.client.push(await client.heap());
      heaps.service.push(await service.heap());
    }
    client.end();
    const uses = Number(await client.next());
    expect(client.errors + service.errors).toBe('');
    console.log(`${uses} uses; bytes by the minute`, heaps);
    expect(uses).toBeGreaterThan(0);
    for (const sizes of Object.values(heaps)) {
      // In the first minute the programs compile, and the sandbox fills its lists.
      const growth = Math.min(...sizes.slice(-3)) - Math.min(...sizes.slice(0, 3));
      expect(growth).toBeLessThan(NO_GROWTH);
    }
  },
  1_200_000,
);
