import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PYTHON } from './python';

/**
 * Runs a command in a pseudo terminal, passes its input and output on, and ends with its exit code. Node cannot make a
 * pseudo terminal, and Python can.
 */
const BRIDGE = `
import fcntl, os, pty, select, struct, sys, termios
columns, command = int(sys.argv[1]), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 40, columns, 0, 0))
    os.execvp(command[0], command)
sources = [terminal, 0]
while True:
    for source in select.select(sources, [], [])[0]:
        try:
            data = os.read(source, 65536)
        except OSError:
            data = b''
        if source == 0:
            if data: os.write(terminal, data)
            else: sources.remove(0)
        elif data:
            os.write(1, data)
        else:
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

/** A command that runs in a pseudo terminal. */
export class TerminalSession {
  /** Everything that the command has printed so far. Lines end with CR LF. */
  output = '';
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown[]>;

  constructor(command: readonly string[], columns: number, environment: NodeJS.ProcessEnv) {
    this.#child = spawn(PYTHON, ['-c', BRIDGE, String(columns), ...command], {
      env: { PATH: process.env.PATH, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
    });
    this.#closed = once(this.#child, 'close');
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** Waits until the command ends, and returns its exit code. */
  async end(): Promise<number> {
    const [code] = await this.#closed;
    return code as number;
  }
}
