import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { formatWsdl } from '../../src/soap/wsdl-text';
import { NAMESPACE } from './data';
import { start } from './processes';

export const CANDIDATES = {
  'messaging-1.1': 'this package, SOAP 1.1',
  'messaging-1.2': 'this package, SOAP 1.2',
  baseline: "undici's bare dispatch",
  gsoap: 'gSOAP',
  php: 'PHP SoapClient',
  'node-soap': 'node-soap',
  'node-soap-keep-alive': 'node-soap, keep-alive',
  'strong-soap': 'strong-soap',
  zeep: 'zeep',
} as const;
export type CandidateId = keyof typeof CANDIDATES;
export const OURS = ['messaging-1.1', 'messaging-1.2'] as const satisfies readonly CandidateId[];

export interface Candidate {
  readonly id: CandidateId;
  /** Of what is measured, as it names itself. */
  readonly version: string;
  /** What starts it; undefined where it is not installed. */
  readonly command: readonly string[] | undefined;
  /** Whether it can have several calls under way. */
  readonly concurrent: boolean;
  /** Whether it gets faster while it runs, as whatever runs on V8 does. */
  readonly warmsUp: boolean;
}

const ROOT = resolve(__dirname, '../..');
/** Debian's modules belong to Debian's Python, which another one may hide in PATH. */
const PYTHON = '/usr/bin/python3';

/** Compiles the package and the candidates on Node into the folder, as they are published: TypeScript's own output. */
export async function compile(folder: string): Promise<void> {
  const compiler = require.resolve('typescript/bin/tsc');
  // Types are the business of `npm run types`.
  await run(
    [process.execPath, compiler, '-p', join(__dirname, 'tsconfig.json'), '--noCheck', '--outDir', folder],
    ROOT,
  );
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
}

/** A program of scripts/bench, once compiled. */
export function program(folder: string, name: string): [string, string] {
  return [process.execPath, join(folder, 'scripts/bench', `${name}.js`)];
}

/** Every candidate, installed or not, as it is started against the service at `url`. */
export function prepareCandidates(folder: string, url: string, gsoap: Gsoap): Candidate[] {
  const wsdl = join(folder, 'messaging.wsdl');
  writeFileSync(wsdl, formatWsdl(NAMESPACE, url));
  const onNode = (name: string, version: string, ...more: string[]) => [
    ...program(folder, `candidates/${name}`),
    url,
    wsdl,
    version,
    ...more,
  ];
  const own = versionOf('../../package.json');
  const soap = versionOf('soap/package.json');
  const php = answerOf(['php', '-r', 'echo extension_loaded("soap") ? PHP_VERSION : "";']);
  const zeep = answerOf([PYTHON, '-c', 'import zeep; print(zeep.__version__)']);
  return [
    { id: 'messaging-1.1', version: own, command: onNode('messaging', '1.1'), concurrent: true, warmsUp: true },
    { id: 'messaging-1.2', version: own, command: onNode('messaging', '1.2'), concurrent: true, warmsUp: true },
    {
      id: 'baseline',
      version: `undici ${versionOf('undici/package.json')}`,
      command: onNode('baseline', '1.1'),
      concurrent: true,
      warmsUp: true,
    },
    {
      id: 'gsoap',
      version: gsoap.version,
      command: gsoap.binary === undefined ? undefined : [gsoap.binary, url],
      concurrent: true,
      warmsUp: false,
    },
    {
      id: 'php',
      version: php,
      command: php
        ? ['php', '-d', 'memory_limit=-1', join(__dirname, 'candidates/client.php'), url, wsdl, '1.1']
        : undefined,
      concurrent: false,
      warmsUp: false,
    },
    { id: 'node-soap', version: soap, command: onNode('node-soap', '1.1'), concurrent: true, warmsUp: true },
    {
      id: 'node-soap-keep-alive',
      version: soap,
      command: onNode('node-soap', '1.1', 'keep-alive'),
      concurrent: true,
      warmsUp: true,
    },
    {
      id: 'strong-soap',
      version: versionOf('strong-soap/package.json'),
      command: onNode('strong-soap', '1.1'),
      concurrent: true,
      warmsUp: true,
    },
    {
      id: 'zeep',
      version: zeep,
      command: zeep ? [PYTHON, join(__dirname, 'candidates/client.py'), url, wsdl, '1.1'] : undefined,
      concurrent: false,
      warmsUp: false,
    },
  ];
}

function versionOf(path: string): string {
  return (require(path) as { version: string }).version;
}

/** What a command prints, or '' when it fails or is not there. */
function answerOf([name, ...args]: readonly [string, ...string[]]): string {
  const { status, stdout } = spawnSync(name, args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}

/** Runs a command that prints something only when it fails. */
async function run(command: readonly string[], cwd: string): Promise<void> {
  const child = start(command, { cwd });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk));
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`${command.join(' ')}: ${printed}`);
}

/** The client that gSOAP makes of the WSDL, compiled. */
export interface Gsoap {
  readonly version: string;
  /** Undefined where gSOAP is not installed. */
  readonly binary: string | undefined;
}

/** Compiles gSOAP's client into the folder. It is told the service's address when it starts. */
export async function compileGsoap(folder: string): Promise<Gsoap> {
  const probe = 'wsdl2h -V && soapcpp2 -V && echo "#include <stdsoap2.h>" | g++ -x c++ -fsyntax-only -';
  if (spawnSync('sh', ['-c', probe]).status !== 0) return { version: '', binary: undefined };
  const flags = ['-std=c++17', '-O2', '-DWITH_DEFAULT_VIRTUAL', '-I', '.'];
  writeFileSync(join(folder, 'gsoap.wsdl'), formatWsdl(NAMESPACE, 'http://127.0.0.1'));
  copyFileSync(join(__dirname, 'candidates/client.cpp'), join(folder, 'client.cpp'));
  // -x and -P leave out what no message has; -N names the classes after the namespace.
  await run(['wsdl2h', '-P', '-x', '-N', 'messaging', '-o', 'messaging.h', 'gsoap.wsdl'], folder);
  await run(['soapcpp2', '-j', '-C', '-L', '-w', '-x', '-c++17', 'messaging.h'], folder);
  await run(
    ['g++', ...flags, 'client.cpp', 'soapC.cpp', 'soapv1SoapProxy.cpp', '-o', 'client', '-lgsoap++', '-lpthread'],
    folder,
  );
  const { stdout, stderr } = spawnSync('wsdl2h', ['-V'], { encoding: 'utf8' });
  const [version] = /\d+\.[\d.]+/.exec(stdout + stderr) ?? [];
  return { version: version ?? 'of unknown version', binary: join(folder, 'client') };
}
