import type { ChildProcess } from 'node:child_process';
import { program } from './candidates';
import { start, stop } from './processes';

/** The answering server (server.ts), in a process of its own. */
export interface BenchServer {
  readonly url: string;
  /** The body of the request that came last. */
  lastRequest(): Promise<string>;
  stop(): Promise<void>;
}

export async function startServer(folder: string): Promise<BenchServer> {
  const child = start(program(folder, 'server'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const { port } = (await message(child)) as { port: number };
  return {
    url: `http://127.0.0.1:${port}/soap/v1.asmx`,
    async lastRequest() {
      child.send('last');
      return ((await message(child)) as { body: string }).body;
    },
    stop: () => stop(child),
  };
}

function message(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('the answering server ended'));
    child.once('exit', onExit);
    child.once('message', (value) => {
      child.off('exit', onExit);
      resolve(value);
    });
  });
}
