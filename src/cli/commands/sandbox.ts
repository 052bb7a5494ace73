import { once } from 'node:events';
import { Option } from 'commander';
import type { Sandbox } from '../../sandbox';
import { quoteForShell } from '../../shell-quote';
import { ENDPOINT_PATH } from '../../soap/versions';
import { type CliCommand, type Context, optionsOf } from '../command';
import { UsageError } from '../failure';
import { kebabCase } from '../option-names';

/** The sandbox's own options. Its namespace and keys are not read from the environment, where a real service's are. */
interface SandboxFlags {
  readonly port?: number;
  readonly host?: string;
  readonly namespace?: string;
  /** Several from after the command's name, one from before it. */
  readonly apiKey?: readonly string[] | string;
  readonly strict?: true;
}

/** Adds the command that runs the service of the contract on this machine. */
export function addSandbox(program: CliCommand, { io, stdout }: Context): void {
  const command = program.command('sandbox').summary('run the service on this machine, to try things on');
  command.description(
    'Runs the service of the contract on this machine: ten operations, SOAP 1.1 and 1.2, its WSDL at ?wsdl. What it is sent stays in memory. The environment is not read. Ctrl-C ends it.',
  );
  command
    .addExamples(['sandbox', 'sandbox --port 0 --api-key first-key --api-key second-key', 'sandbox --strict'])
    .addOption(new Option('--port <number>', 'port to listen on, 0 for a free one (default: 8080)').argParser(readPort))
    .option('--host <address>', 'address to listen on; anyone who reaches it can use it (default: 127.0.0.1)')
    .option('--namespace <uri>', "the service's namespace (default: http://messaging.example/)")
    .addOption(
      new Option('--api-key <key>', 'accepted key, may be repeated (default: sandbox-key)').argParser(collectKeys),
    )
    .option('--strict', 'answer with a fault whatever departs from the contract')
    .action(async () => {
      const sandbox = await start(optionsOf(program, command) as SandboxFlags);
      const ended = Promise.race([once(io.signals, 'SIGINT'), once(io.signals, 'SIGTERM')]);
      await stdout.write(greeting(sandbox, io.invocation));
      await stdout.finish();
      await ended;
      await sandbox.close();
    });
}

async function start({ port = 8080, host = '127.0.0.1', namespace, apiKey, strict }: SandboxFlags): Promise<Sandbox> {
  // Loaded here: no other command needs it.
  const { startSandbox } = require('../../sandbox') as typeof import('../../sandbox');
  const apiKeys = typeof apiKey === 'string' ? [apiKey] : apiKey;
  try {
    return await startSandbox({ port, host, namespace, apiKeys, strict });
  } catch (error) {
    throw explainStart(error as NodeJS.ErrnoException, host, port);
  }
}

function explainStart(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new UsageError(`port ${port} of ${host} is taken: choose another with --port, or --port 0 for a free one`);
  }
  if (error.code !== undefined) return new UsageError(`cannot listen on port ${port} of ${host}: ${error.message}`);
  // Its messages begin with the option's name.
  if (error instanceof TypeError)
    return new UsageError(error.message.replace(/^\w+/, (name) => `--${kebabCase(name)}`));
  return error;
}

function readPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new UsageError(`--port: ${JSON.stringify(text)} is not a whole number from 0 to 65535`);
  }
  return Number(text);
}

function collectKeys(key: string, keys: readonly string[] = []): readonly string[] {
  if (key === '') throw new UsageError('--api-key: an empty key is none');
  return [...keys, key];
}

function greeting({ baseUrl, namespace, apiKey }: Sandbox, messaging: string): string {
  return `Sandbox ready at ${baseUrl}${ENDPOINT_PATH}
Namespace  ${namespace}
API key    ${apiKey}

To try it, paste this into another terminal:

export MESSAGING_BASE_URL=${quoteForShell(baseUrl)}
export MESSAGING_NAMESPACE=${quoteForShell(namespace)}
export MESSAGING_API_KEY=${quoteForShell(apiKey)}
export MESSAGING_SUCCESS_STATUSES=200
${messaging} send-simple --sender 3000 --message 'سلام' --receptor 09120000001 09120000002 --unixdate 0 --msgmode 1
${messaging} select-latest --pagesize 10
${messaging} remain-credit

Ctrl-C ends it.
`;
}
