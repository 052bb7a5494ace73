import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { formatWsdl } from '../../src/soap/wsdl';
import { ITEM_END } from './comparison';
import { arrayRequest, NAMESPACE } from './data';
import { run } from './processes';

export const CLIENTS = {
  'this-1.1': 'this package, SOAP 1.1',
  'this-1.2': 'this package, SOAP 1.2',
  earlier: 'an earlier commit, SOAP 1.1',
  undici: "undici's bare dispatch",
  gsoap: 'gSOAP',
  php: 'PHP SoapClient',
  'node-soap': 'node-soap',
} as const;
export type ClientId = keyof typeof CLIENTS;
export const CLIENT_IDS = Object.keys(CLIENTS) as ClientId[];

/** A client that can be started. */
export interface Client {
  readonly id: ClientId;
  /** Empty for a client that is not installed. */
  readonly version: string;
  readonly command: readonly string[];
}

export const ROOT = resolve(__dirname, '../..');

/** The command that runs a program of scripts/bench/programs. */
export function program(folder: string, name: string): string[] {
  return [process.execPath, join(folder, `${name}.js`)];
}

/** Compiles the programs that run on Node. They load the built package, so they measure what users install. */
export async function buildPrograms(folder: string): Promise<void> {
  const names = ['server', 'messaging', 'undici', 'node-soap', 'stream', 'bulk', 'queue', 'sandbox-load'];
  await build({
    entryPoints: names.map((name) => join(__dirname, 'programs', `${name}.ts`)),
    outdir: folder,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

/** Builds an earlier commit of this package, and returns its folder. */
export async function buildCommit(folder: string, commit: string): Promise<string> {
  const target = join(folder, 'earlier');
  mkdirSync(target);
  await run(['sh', '-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, target], ROOT);
  symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'));
  await run([process.execPath, '-r', 'ts-node/register', 'scripts/build.ts'], target);
  return target;
}

/** Prepares those of the chosen clients that are installed. */
export async function prepareClients(
  folder: string,
  url: string,
  chosen: readonly string[],
  earlier: string | undefined,
): Promise<Client[]> {
  const wsdl = join(folder, 'messaging.wsdl');
  writeFileSync(wsdl, formatWsdl(NAMESPACE, url));
  // The programs in other languages read the texts and receptors that they send from this file, in turn.
  const texts = join(folder, 'texts');
  const { message, receptor } = arrayRequest(1000);
  writeFileSync(texts, message.map((text, index) => text + ITEM_END + receptor[index] + ITEM_END).join(''));
  const own = versionOf('../../package.json');
  const gsoap = chosen.includes('gsoap') ? outputOf('wsdl2h', '-V') : '';
  const php = outputOf('php', '-r', 'echo extension_loaded("soap") ? PHP_VERSION : "";');
  const clients: readonly Client[] = [
    { id: 'this-1.1', version: own, command: [...program(folder, 'messaging'), ROOT, url, '1.1'] },
    { id: 'this-1.2', version: own, command: [...program(folder, 'messaging'), ROOT, url, '1.2'] },
    {
      id: 'earlier',
      version: earlier ? own : '',
      command: [...program(folder, 'messaging'), earlier ?? '', url, '1.1'],
    },
    { id: 'undici', version: versionOf('undici/package.json'), command: [...program(folder, 'undici'), url] },
    { id: 'gsoap', version: gsoap, command: gsoap ? [await buildGsoap(folder), url, texts] : [] },
    {
      id: 'php',
      version: php,
      command: ['php', '-d', 'memory_limit=-1', join(__dirname, 'programs/php.php'), url, wsdl, texts],
    },
    { id: 'node-soap', version: versionOf('soap/package.json'), command: [...program(folder, 'node-soap'), url, wsdl] },
  ];
  return clients.filter(({ id, version }) => version !== '' && chosen.includes(id));
}

function versionOf(path: string): string {
  return (require(path) as { version: string }).version;
}

/** The version that a command prints; '' when the command fails or is missing. */
function outputOf(name: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(name, args, { encoding: 'utf8' });
  return status === 0 ? (stdout + stderr).trim() : '';
}

/** Compiles the client that gSOAP generates from the WSDL. */
async function buildGsoap(folder: string): Promise<string> {
  copyFileSync(join(__dirname, 'programs/gsoap.cpp'), join(folder, 'client.cpp'));
  // -x and -P leave out classes that no message uses. -N names the classes after the namespace.
  await run(['wsdl2h', '-P', '-x', '-N', 'messaging', '-o', 'messaging.h', 'messaging.wsdl'], folder);
  await run(['soapcpp2', '-j', '-C', '-L', '-w', '-x', '-c++17', 'messaging.h'], folder);
  const sources = ['client.cpp', 'soapC.cpp', 'soapv1SoapProxy.cpp'];
  const options = ['-std=c++17', '-O2', '-DWITH_DEFAULT_VIRTUAL', '-I', '.', '-lgsoap++', '-lpthread'];
  await run(['g++', ...sources, ...options, '-o', 'client'], folder);
  return join(folder, 'client');
}
