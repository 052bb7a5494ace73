import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option } from 'commander';
import { service } from '../../../generated/operations';
import type { ConfigurationError } from '../../errors';
import { createMasker } from '../../internal/mask';
import { quoteForShell } from '../../internal/strings';
import type { Sandbox, SandboxOptions, SandboxRequest } from '../../sandbox';
import { formatFirstMessage } from '../../sandbox/page/first-message';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { flagOf, spellProblems } from '../fields/option-names';
import { UsageError } from '../terminal/failure';

/**
 * The options of the sandbox. Its namespace and keys never come from the environment, which holds those of a real
 * service.
 */
interface SandboxFlags {
  readonly port?: number;
  readonly host?: string;
  readonly namespace?: string;
  /** A list when given after the command's name, one key when given before it. */
  readonly apiKey?: readonly string[] | string;
  readonly strict?: true;
  readonly data?: string;
  readonly keep?: number;
  readonly deliver?: true;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly allowHost?: readonly string[];
  readonly quiet?: true;
}

/** Defines the command that runs the service of the contract on this machine. */
export function defineSandbox(command: CliCommand, { io, stdout, log }: Context): void {
  command.description(
    'Runs the service of the contract on this machine: ten operations in SOAP 1.1 and 1.2, the WSDL at ?wsdl, a page that shows the messages at /, and a control interface for tests under /sandbox. The sandbox sends nothing to anyone and does not read the environment. Ctrl-C ends it.',
  );
  command
    .addExamples([
      'sandbox',
      'sandbox --port 0 --api-key first-key --api-key second-key',
      'sandbox --data messages.jsonl --quiet',
      'sandbox --deliver',
    ])
    .addOption(
      new Option('--port <number>', 'listen on this port; 0 picks a free port (default: 8080)').argParser(readNumber),
    )
    .option(
      '--host <address>',
      'listen on this address; anyone who reaches it can use the sandbox (default: 127.0.0.1)',
    )
    .option('--namespace <uri>', 'serve this namespace (default: http://messaging.example/)')
    .addOption(
      new Option('--api-key <key>', 'accept this key; may be repeated (default: sandbox-key)').argParser(collectKeys),
    )
    .option(
      '--strict',
      'respond with a fault when a request departs from the contract in headers, elements or their order',
    )
    .option('--data <file>', 'keep messages in this file over a restart (default: in memory)')
    .addOption(
      new Option('--keep <number>', 'keep this many messages and received messages (default: 100000)').argParser(
        readNumber,
      ),
    )
    .option('--deliver', 'let messages change their status by themselves, as after a real delivery')
    .option('--tls-cert <file>', 'serve https with this certificate in PEM')
    .option('--tls-key <file>', 'use this private key of the certificate, in PEM')
    .addOption(
      new Option(
        '--allow-host <name>',
        'allow this host name for the page and the control interface; may be repeated',
      ).argParser(collect),
    )
    .option('--quiet', 'log no requests')
    .action(async () => {
      const flags = optionsOf(command) as SandboxFlags;
      const options = readFlags(flags);
      const { mask } = createMasker(...(options.apiKeys ?? []));
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
  const {
    port = 8080,
    host = '127.0.0.1',
    namespace,
    apiKey,
    strict,
    data,
    keep,
    deliver,
    tlsCert,
    tlsKey,
    allowHost,
  } = flags;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key must be given together');
  }
  const tls =
    tlsCert && tlsKey ? { cert: readPem('--tls-cert', tlsCert), key: readPem('--tls-key', tlsKey) } : undefined;
  const apiKeys = typeof apiKey === 'string' ? [apiKey] : apiKey;
  return { port, host, namespace, apiKeys, strict, data, keep, delivery: deliver, tls, allowHosts: allowHost };
}

function readPem(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`${flag}: ${(error as Error).message}`);
  }
}

async function start(options: SandboxOptions): Promise<Sandbox> {
  // No other command needs the sandbox, so it is loaded here.
  const { startSandbox } = require('../../sandbox') as typeof import('../../sandbox');
  try {
    return await startSandbox(options);
  } catch (error) {
    throw explainStart(error as NodeJS.ErrnoException, options);
  }
}

function explainStart(error: NodeJS.ErrnoException, { host, port }: SandboxOptions): Error {
  // In the package the command is bundled and the sandbox is not, so that each has an error class of its own.
  if (error.name === 'ConfigurationError') {
    const names: Readonly<Record<string, string>> = { allowHosts: 'allowHost', tls: 'tlsCert' };
    const spell = (option: string) => flagOf(names[option] ?? option);
    return new UsageError(spellProblems(error as ConfigurationError, spell));
  }
  if (error.code === 'EADDRINUSE') {
    return new UsageError(
      `port ${port} of ${host} is taken: choose another port with --port, or a free port with --port 0`,
    );
  }
  return new UsageError(error.message);
}

/** A number, or the text itself for the check of the options to refuse. */
function readNumber(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
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
  // The system rarely trusts the certificate of a sandbox. Node reads further certificates from this variable.
  const trust = certificate === undefined ? [] : [`export NODE_EXTRA_CA_CERTS=${quoteForShell(resolve(certificate))}`];
  return `Sandbox ready at ${baseUrl}${service.path}
Page       ${baseUrl}/
Namespace  ${namespace}
API key    ${apiKey}

To send a first message, paste these lines into another terminal:

${formatFirstMessage(messaging, { baseUrl, namespace, apiKey }, trust)}
${messaging} select-latest --pagesize 10
${messaging} remain-credit

Ctrl-C ends the sandbox.
`;
}
