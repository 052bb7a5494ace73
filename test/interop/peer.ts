import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { PYTHON } from '../support/python';

/** The command that runs a peer in a scripting language. */
export function script(name: `${string}.${'py' | 'php'}`): [string, string] {
  return [name.endsWith('.py') ? PYTHON : 'php', peerPath(name)];
}

export function peerPath(name: string): string {
  return join(__dirname, 'peers', name);
}

/** Compiles a gSOAP peer from a WSDL into the folder. */
export async function buildGsoapPeer(kind: 'client' | 'server', wsdl: string, folder: string): Promise<string> {
  const run = (command: string, ...args: string[]) => promisify(execFile)(command, args, { cwd: folder });
  // With -N, each port has its own classes. -P and -x keep classes from accepting any element and any type.
  await run('wsdl2h', '-P', '-x', '-N', 'messaging', '-o', 'messaging.h', wsdl);
  // With -s, the program refuses unknown elements and reports missing required elements.
  await run('soapcpp2', '-s', '-j', kind === 'client' ? '-C' : '-S', '-L', '-w', '-x', '-c++17', 'messaging.h');
  const sources = kind === 'client' ? ['soapv1SoapProxy.cpp', 'soapv1Soap12Proxy.cpp'] : ['soapv1SoapService.cpp'];
  // As one file, the compiler reads the headers once.
  const all = ['soapC.cpp', ...sources, peerPath(`gsoap_${kind}.cpp`)].map((path) => `#include "${path}"\n`);
  writeFileSync(join(folder, 'all.cpp'), all.join(''));
  const flags = ['-std=c++17', '-O0', '-DWITH_DEFAULT_VIRTUAL', '-I', '.', '-I', peerPath('')];
  await run('g++', ...flags, '-o', kind, 'all.cpp', '-lgsoap++');
  return join(folder, kind);
}

/** A program of another SOAP stack. It reads lines from stdin and prints lines. */
export class Peer {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<void>;
  /** The lines of stdout and stderr. `php -S` reports on stderr that it is ready. */
  readonly #lines: string[] = [];
  /** The last lines, for the error message when the program ends while a test waits for a line. */
  #lastLines: string[] = [];
  #end: string | undefined;
  #wake = () => {};

  constructor([command, ...args]: readonly [string, ...string[]], environment: Readonly<Record<string, string>> = {}) {
    this.#process = spawn(command, args, { env: { ...process.env, ...environment } });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      createInterface(stream).on('line', (line) => {
        this.#lines.push(line);
        this.#lastLines = [...this.#lastLines, line].slice(-30);
        this.#wake();
      });
    }
    this.#ended = new Promise((resolve) => {
      const end = (how: string) => {
        this.#end = `${[command, ...args].join(' ')}: ${how}`;
        this.#wake();
        resolve();
      };
      this.#process.on('error', (error) => end(error.message));
      this.#process.on('close', (code, signal) => end(`ended with ${code ?? signal}`));
    });
    // The reader of a response reports a program that has ended.
    this.#process.stdin.on('error', () => {});
  }

  /** Returns the next line that matches, and skips the lines before it. Only one reader may wait at a time. */
  async read(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const line = this.#lines.shift();
      const match = line === undefined ? null : pattern.exec(line);
      if (match) return match;
      if (line !== undefined) continue;
      if (this.#end !== undefined) throw new Error([this.#end, ...this.#lastLines].join('\n'));
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async readJson(): Promise<WireFields> {
    const [line] = await this.read(/^\{.*/);
    return JSON.parse(line);
  }

  write(line: string): void {
    this.#process.stdin.write(`${line}\n`);
  }

  async stop(): Promise<void> {
    if (this.#end === undefined) this.#process.kill();
    await this.#ended;
  }
}

/**
 * A text with blanks in all places, Persian with a zero-width non-joiner, an emoji, markup, and all kinds of line ends.
 */
export const text = ' \t سلام می\u200cخواهم 😀 <b>&amp; "quoted" \'text\'</b> ]]> \r\n line\r\n\nend  ';
export const long = { beyondDouble: 2n ** 53n + 1n, max: 2n ** 63n - 1n, min: -(2n ** 63n) };
export const int = { max: 2 ** 31 - 1, min: -(2 ** 31) };

/** A value of the wire: an object is an element with children, and an array is a repeated element. */
export type Wire = null | string | number | bigint | readonly Wire[] | WireFields;
export interface WireFields {
  readonly [name: string]: Wire;
}

/** Writes JSON for a peer. A bigint becomes a number with all its digits. */
export function writeJson(value: Wire): string {
  const marked = JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${item}n` : item));
  return marked.replace(/"(-?\d+)n"/g, '$1');
}

/**
 * Turns a value into what all peers report: numbers become text. Absent elements and empty lists are left out, because
 * some stacks report them as null and others leave them out. `read` turns a text or an element into what a stack reads.
 */
export function comparable(value: Wire, read = (item: string | WireFields): Wire => item): Wire {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return read(value);
  if (isList(value)) return value.map((item) => comparable(item, read));
  if (value === null) return null;
  const fields = Object.entries(value).map(([name, item]) => [name, comparable(item, read)] as const);
  return read(Object.fromEntries(fields.filter(([, item]) => item !== null && !(isList(item) && item.length === 0))));
}

/** Array.isArray does not narrow a readonly array. */
function isList(value: Wire): value is readonly Wire[] {
  return Array.isArray(value);
}
