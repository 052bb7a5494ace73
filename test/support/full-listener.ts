import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp } from './clean-up';

/** A listener in a process of its own that accepts nothing, so that its backlog is full. */
export class FullListener {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#process = child;
  }

  /** Starts a listener that is stopped after the test, or after the file (clean-up.ts). @param port 0 for a free port */
  static async start(host = '127.0.0.1', port = 0): Promise<FullListener> {
    // The process waits for its input in the middle of its work, and accepts nothing before.
    const program = `const server = require('node:net').createServer();
      server.listen({ port: ${port}, host: '${host}', backlog: 1 }, () => {
        require('node:fs').writeSync(1, String(server.address().port));
        require('node:fs').readSync(0, Buffer.alloc(1));
      });`;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
    cleanUp(() => child.kill('SIGKILL'));
    const [text] = await once(child.stdout as NodeJS.ReadableStream, 'data');
    const listener = new FullListener(Number(text), child);
    // A connection that is not established soon finds the backlog full.
    for (let isFull = false; !isFull; ) {
      const connection: Socket = connect(listener.port, host).on('error', () => undefined);
      cleanUp(() => connection.destroy());
      isFull = await Promise.race([once(connection, 'connect').then(() => false), sleep(500, true)]);
    }
    return listener;
  }

  /** Accepts all connections from now on. */
  accept(): void {
    this.#process.stdin?.write('x');
  }
}
