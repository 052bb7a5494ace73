import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { service } from '../../../generated/operations';
import { createMasker } from '../../internal/mask';
import type { Sandbox, SandboxOptions, SandboxRequest } from '../../sandbox';
import { maskPairs } from '../../sandbox/control/mask-keys';
import { formatFirstMessage } from '../../sandbox/page/first-message';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { readLongValue } from '../fields/field-values';
import { numberOf } from '../fields/flags';
import { withSpelledOptions } from '../fields/option-names';
import { UsageError } from '../terminal/failure';

/**
 * The options of the sandbox. Its namespace and keys never come from the environment, which holds those of a real
 * service.
 */
type SandboxFlags = Pick<SandboxOptions, 'port' | 'host' | 'namespace' | 'strict' | 'data' | 'keep'> & {
  /** A list when given after the command's name, one key when given before it. */
  readonly apiKey?: readonly string[] | string;
  readonly allowHost?: readonly string[];
  readonly deliver?: true;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly quiet?: true;
};

/** The names of options that the command line spells in another way than the library. */
const spellings: Readonly<Record<string, string>> = {
  apiKeys: '--api-key',
  allowHosts: '--allow-host',
  delivery: '--deliver',
  tls: '--tls-cert',
};

export function defineSandbox(command: CliCommand, context: Context): void {
  command
    .description(
      'Runs the service of the contract on this machine: all operations in SOAP 1.1 and 1.2, the WSDL at ?wsdl, a page that shows the messages at /, and a control interface for tests under /sandbox. The sandbox sends nothing to anyone and does not read the environment. Ctrl-C ends it.',
    )
    .addExamples([
      'sandbox',
      'sandbox --port 0 --api-key first-key --api-key second-key',
      'sandbox --data messages.jsonl --quiet',
      'sandbox --deliver',
    ])
    .option('--port <number>', 'listen on this port; 0 picks a free port (default: 8080)', numberOf, 8080)
    .option('--host <address>', 'listen here; anyone who reaches it can use the sandbox (default: 127.0.0.1)')
    .option('--namespace <uri>', 'serve this namespace (default: http://messaging.example/)')
    .option('--api-key <key>', 'accept this key; may be repeated (default: sandbox-key)', collect)
    .option(
      '--strict',
      'respond with a fault when a request departs from the contract in headers, elements or their order',
    )
    .option('--data <file>', 'keep messages in this file over a restart (default: in memory)')
    .option('--keep <number>', 'keep this many messages and received messages (default: 100000)', numberOf)
    .option('--credit <number>', 'begin with this credit; a message costs 120', readCredit)
    .option('--deliver', 'simulate delivery: messages become sent, then delivered')
    .option('--tls-cert <file>', 'serve https with this certificate in PEM')
    .option('--tls-key <file>', 'use this private key of the certificate, in PEM')
    .option(
      '--allow-host <name>',
      'allow this host name for the page and the control interface; may be repeated',
      collect,
    )
    .option('--quiet', 'log no requests')
    .action(() => serve(optionsOf(command), context));
}

function readCredit(text: string): bigint {
  return readLongValue(text, '--credit');
}

/** The time that the reader of stderr has after a signal, in milliseconds. */
const LAST_LINES_MS = 1000;

async function serve(flags: SandboxFlags, { io, stdout, stderr, log }: Context): Promise<void> {
  const { apiKey, allowHost, deliver, tlsCert, tlsKey, quiet, ...others } = flags;
  const apiKeys = typeof apiKey === 'string' ? [apiKey] : apiKey;
  const { mask } = createMasker(...(apiKeys ?? []));
  const sandbox = await start({
    ...others,
    apiKeys,
    allowHosts: allowHost,
    delivery: deliver,
    tls: readTls(tlsCert, tlsKey),
    onRequest: quiet ? undefined : (request) => log(mask(formatRequest(request))),
  });
  const ended = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => once(io.signals, name)));
  await stdout.write(greeting(sandbox, io.invocation, tlsCert));
  await stdout.finish();
  await ended;
  // A test that starts the sandbox with a pipe may not read it.
  stderr.limitWaiting(LAST_LINES_MS);
  await sandbox.close();
}

function readTls(cert: string | undefined, key: string | undefined): SandboxOptions['tls'] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new UsageError('--tls-cert and --tls-key must be given together');
  return { cert: readPem('--tls-cert', cert), key: readPem('--tls-key', key) };
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
    return await withSpelledOptions(spellings, () => startSandbox(options));
  } catch (error) {
    const { code, message, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
    const taken = `port ${port} on ${address} is taken: choose another port with --port, or a free port with --port 0`;
    throw new UsageError(code === 'EADDRINUSE' ? taken : message);
  }
}

function collect(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}

/** `20:15:03 SendSimpleByApikey 1.1 status 200 3 ms` */
function formatRequest({ operation, soapVersion, method, url, summary, durationMs = 0 }: SandboxRequest): string {
  const time = new Date().toTimeString().slice(0, 8);
  const what = operation === undefined ? `${method} ${maskPairs(url)}` : `${operation} ${soapVersion}`;
  return `${time} ${what} ${summary} ${Math.round(durationMs)} ms`;
}

function greeting({ baseUrl, namespace, apiKey }: Sandbox, messaging: string, certificate: string | undefined): string {
  // The system rarely trusts the certificate of a sandbox.
  const path = certificate === undefined ? undefined : resolve(certificate);
  return `Sandbox ready at ${baseUrl}${service.path}
Page       ${baseUrl}/
Namespace  ${namespace}
API key    ${apiKey}

To send a first message, paste these lines into another terminal:

${formatFirstMessage(messaging, { baseUrl, namespace, apiKey }, path)}
${messaging} select-latest --pagesize 10
${messaging} remain-credit

Ctrl-C ends the sandbox.
`;
}
