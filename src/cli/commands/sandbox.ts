import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { service } from '../../../generated/operations';
import { ConfigurationError } from '../../errors';
import { createMasks } from '../../internal/mask';
import { quoteForShell } from '../../internal/strings';
import type { Sandbox, SandboxOptions, SandboxRequest } from '../../sandbox';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { flagOf, spellProblems } from '../fields/option-names';
import { UsageError } from '../terminal/failure';

/** The sandbox's own options. Its namespace and keys are not read from the environment, which holds a real service's. */
interface SandboxFlags {
  readonly port?: number;
  readonly host?: string;
  readonly namespace?: string;
  /** Several from after the command's name, one from before it. */
  readonly apiKey?: readonly string[] | string;
  readonly strict?: true;
  readonly data?: string;
  readonly keep?: number;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly allowHost?: readonly string[];
  readonly quiet?: true;
}

/** Adds the command that runs the service of the contract on this machine. */
export function addSandbox(program: CliCommand, { io, stdout, log }: Context): void {
  const command = program.command('sandbox').summary('run the service on this machine, to try things on');
  command.description(
    'Runs the service of the contract on this machine: ten operations, SOAP 1.1 and 1.2, its WSDL at ?wsdl, a page that shows the messages at /, and a control interface for tests under /sandbox. Nothing is delivered. The environment is not read. Ctrl-C ends it.',
  );
  command
    .addExamples([
      'sandbox',
      'sandbox --port 0 --api-key first-key --api-key second-key',
      'sandbox --data messages.jsonl --quiet',
    ])
    .addOption(new Option('--port <number>', 'port to listen on, 0 for a free one (default: 8080)').argParser(readPort))
    .option('--host <address>', 'address to listen on; anyone who reaches it can use it (default: 127.0.0.1)')
    .option('--namespace <uri>', "the service's namespace (default: http://messaging.example/)")
    .addOption(
      new Option('--api-key <key>', 'accepted key, may be repeated (default: sandbox-key)').argParser(collectKeys),
    )
    .option('--strict', 'answer with a fault what departs from the contract in headers, elements and their order')
    .option('--data <file>', 'keep messages in this file over a restart (default: in memory)')
    .addOption(
      new Option('--keep <number>', 'messages and received messages to keep (default: 100000)').argParser(readKeep),
    )
    .option('--tls-cert <file>', 'certificate in PEM, for https')
    .option('--tls-key <file>', 'private key of the certificate in PEM')
    .addOption(
      new Option(
        '--allow-host <name>',
        'further host name of the page and the control interface, may be repeated',
      ).argParser(collect),
    )
    .option('--quiet', 'do not log requests')
    .action(async () => {
      const flags = optionsOf(program, command) as SandboxFlags;
      const options = readFlags(flags);
      const mask = createMasks(options.apiKeys ?? []);
      const onRequest = (request: SandboxRequest): void => log(mask(formatRequest(request)));
      const sandbox = await start({ ...options, onRequest: flags.quiet ? undefined : onRequest });
      const ended = Promise.race([once(io.signals, 'SIGINT'), once(io.signals, 'SIGTERM')]);
      await stdout.write(greeting(sandbox, io.invocation, flags.tlsCert));
      await stdout.finish();
      await ended;
      await sandbox.close();
    });
}

function readFlags(flags: SandboxFlags): SandboxOptions {
  const { port = 8080, host = '127.0.0.1', namespace, apiKey, strict, data, keep, tlsCert, tlsKey, allowHost } = flags;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key must be given together');
  }
  const tls =
    tlsCert && tlsKey ? { cert: readPem('--tls-cert', tlsCert), key: readPem('--tls-key', tlsKey) } : undefined;
  const apiKeys = typeof apiKey === 'string' ? [apiKey] : apiKey;
  return { port, host, namespace, apiKeys, strict, data, keep, tls, allowHosts: allowHost };
}

function readPem(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`${flag}: ${(error as Error).message}`);
  }
}

async function start(options: SandboxOptions): Promise<Sandbox> {
  // Loaded here: no other command needs it.
  const { startSandbox } = require('../../sandbox') as typeof import('../../sandbox');
  try {
    return await startSandbox(options);
  } catch (error) {
    throw explainStart(error as Error, options);
  }
}

function explainStart(error: NodeJS.ErrnoException | ConfigurationError, { host, port }: SandboxOptions): Error {
  if (error instanceof ConfigurationError) {
    return new UsageError(spellProblems(error, (option) => flagOf(option === 'allowHosts' ? 'allowHost' : option)));
  }
  if (error.code === 'EADDRINUSE') {
    return new UsageError(`port ${port} of ${host} is taken: choose another with --port, or --port 0 for a free one`);
  }
  return new UsageError(error.message);
}

function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new UsageError(`--port: ${JSON.stringify(text)} is not a whole number from 0 to 65535`);
  }
  return Number(text);
}

function readKeep(text: string): number {
  if (!/^0*[1-9]\d{0,8}$/.test(text)) {
    throw new UsageError(`--keep: ${JSON.stringify(text)} is not a whole number from 1 to 999999999`);
  }
  return Number(text);
}

function collectKeys(key: string, keys?: readonly string[]): readonly string[] {
  if (key === '') throw new UsageError('--api-key: the key is empty');
  return collect(key, keys);
}

function collect(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}

/** `20:15:03 SendSimpleByApikey 1.1 status 200 3 ms` */
function formatRequest({ operation, soapVersion, method, url, summary, durationMs = 0 }: SandboxRequest): string {
  const time = new Date().toTimeString().slice(0, 8);
  const what = operation === undefined ? `${method} ${url}` : `${operation} ${soapVersion}`;
  return `${time} ${what} ${summary} ${Math.round(durationMs)} ms`;
}

function greeting({ baseUrl, namespace, apiKey }: Sandbox, messaging: string, certificate: string | undefined): string {
  // Node's own variable, since the certificate of a sandbox is rarely one that the system trusts.
  const trust = certificate === undefined ? '' : `export NODE_EXTRA_CA_CERTS=${quoteForShell(resolve(certificate))}\n`;
  return `Sandbox ready at ${baseUrl}${service.path}
Page       ${baseUrl}/
Namespace  ${namespace}
API key    ${apiKey}

To try it, paste this into another terminal:

export MESSAGING_BASE_URL=${quoteForShell(baseUrl)}
export MESSAGING_NAMESPACE=${quoteForShell(namespace)}
export MESSAGING_API_KEY=${quoteForShell(apiKey)}
export MESSAGING_SUCCESS_STATUSES=200
${trust}${messaging} send-simple --sender 3000 --message 'سلام' --receptor 09120000001 09120000002 --unixdate 0 --msgmode 1
${messaging} select-latest --pagesize 10
${messaging} remain-credit

Ctrl-C ends it.
`;
}
