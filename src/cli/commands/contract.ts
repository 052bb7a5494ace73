import { Option } from 'commander';
import { type OperationName, service } from '../../../generated/operations';
import { methods } from '../../client';
import type { Comparison, Difference } from '../../contract';
import { quoteForShell } from '../../internal/strings';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { checkSettings } from '../settings/client';
import { addSettings, type GlobalOptions, readSettings } from '../settings/settings';
import { CommandFailure, exitCodes, UsageError } from '../terminal/failure';
import { interruptible } from '../terminal/io';
import { visible } from '../terminal/text';

const FORMATS = ['table', 'json'];
/** Problems of a WSDL that are printed; there may be thousands. */
const MAX_PROBLEMS = 20;

/** Adds the command that compares the contract that this program was built from with a service's WSDL. */
export function addContract(program: CliCommand, context: Context): void {
  const contract = program.command('contract').summary("compare the contract with a service's WSDL");
  contract.description('What this program was built from, and what a service says.');
  const diff = contract.command('diff').summary("compare the contract with a service's WSDL, by meaning");
  diff
    .description(
      'Compares the contract that this program was built from with another WSDL of the service, by meaning. Prints a line for each difference, with what it breaks, and the settings for that service. Exits with 7 when something breaks what is sent or read. The request has no API key.',
    )
    .argument('[source]', `a file or an address (default: --base-url with ${service.path}?wsdl)`)
    .addExamples([
      'contract diff',
      "contract diff 'https://provider.example/soap/v1.asmx?wsdl'",
      'contract diff their.wsdl --output json',
    ]);
  addSettings(diff, ['baseUrl', 'timeoutMs']);
  diff.addOption(new Option('--output <format>', 'table or json (default: table)').choices(FORMATS));
  diff.action(async (source: string | undefined) => {
    const given: GlobalOptions = optionsOf(program, diff);
    if (given.output !== undefined && !FORMATS.includes(given.output)) {
      throw new UsageError(`--output: contract diff prints ${FORMATS.join(' or ')}, not ${given.output}`);
    }
    const { baseUrl, timeoutMs: limit } = readSettings(given, context.io.environment);
    const settings =
      source === undefined
        ? checkSettings({ baseUrl, timeoutMs: limit }, ['baseUrl'])
        : checkSettings({ timeoutMs: limit }, []);
    const address = source ?? `${settings.baseUrl}${service.path}?wsdl`;
    const { timeoutMs } = settings;
    const comparison = await interruptible(context.io.signals, (signal) =>
      compare(address, { timeoutMs, signal }, context),
    );
    const name = nameOf(address);
    await context.stdout.write(given.output === 'json' ? formatJson(name, comparison) : formatText(name, comparison));
    if (comparison.breaking) throw new CommandFailure(exitCodes.contract, `${name} breaks what is sent or read`);
  });
}

/** Without a user name and password that stand in an address. */
function nameOf(source: string): string {
  return source.replace(/^(https?:\/\/)[^/]*@/i, '$1');
}

async function compare(
  source: string,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  { log }: Context,
): Promise<Comparison> {
  // Loaded here: no other command needs it.
  const { compareContracts, ContractError, FetchError, loadContract, readWsdl } =
    require('../../contract') as typeof import('../../contract');
  const { wsdl } = require('../../../generated/wsdl') as typeof import('../../../generated/wsdl');
  if (ADDRESS.test(source) && !URL.canParse(source)) throw new UsageError(`${nameOf(source)}: not a URL`);
  try {
    const { contract: ours } = readWsdl(wsdl, 'our contract');
    const { contract: theirs } = await loadContract(source, limits, ours);
    return compareContracts(ours, theirs);
  } catch (error) {
    limits.signal.throwIfAborted();
    if (error instanceof FetchError) {
      throw new CommandFailure(
        error.sent ? exitCodes.unknown : exitCodes.notSent,
        `${error.message}; no WSDL to compare`,
      );
    }
    if (error instanceof ContractError) {
      for (const { file, line, text } of error.problems.slice(0, MAX_PROBLEMS)) log(`${file}:${line}: ${text}`);
      const left = error.problems.length - MAX_PROBLEMS;
      const count = left > 0 ? ` (${left} more problems)` : '';
      throw new UsageError(`${nameOf(source)} is not a WSDL that can be compared${count}${hintFor(nameOf(source))}`);
    }
    if ((error as NodeJS.ErrnoException).code !== undefined) throw new UsageError((error as Error).message);
    throw error;
  }
}

/** A service answers its address without a query with a page for people. */
function hintFor(source: string): string {
  return ADDRESS.test(source) && !/wsdl/i.test(source) ? `; try ${source}?wsdl` : '';
}

const ADDRESS = /^https?:\/\//i;

function formatJson(source: string, { breaking, settings, differences }: Comparison): string {
  const rows = differences.map((difference) => ({ ...difference, methods: methodsOf(difference) }));
  return `${JSON.stringify({ source, breaking, settings, differences: rows })}\n`;
}

function formatText(source: string, { settings, differences }: Comparison): string {
  const { namespace, baseUrl } = settings;
  const base =
    baseUrl === undefined ? '# no base URL leads to its address' : `MESSAGING_BASE_URL=${quoteForShell(baseUrl)}`;
  const lines = [
    `${source}: ${summaryOf(differences)}`,
    ...differences.map(lineOf),
    '',
    'Settings for this service:',
    `  MESSAGING_NAMESPACE=${quoteForShell(namespace)}`,
    `  ${base}`,
  ];
  return lines.map((line) => `${visible(line)}\n`).join('');
}

function summaryOf(differences: readonly Difference[]): string {
  if (differences.length === 0) return 'no difference';
  const count = differences.length === 1 ? '1 difference' : `${differences.length} differences`;
  const sides = (['requests', 'answers', 'callers'] as const)
    .map((side) => [side, differences.filter((difference) => difference[side] === 'breaking').length] as const)
    .filter(([, breaking]) => breaking > 0)
    .map(([side, breaking]) => `${breaking} ${breaking === 1 ? 'breaks' : 'break'} ${side}`);
  return [count, ...(sides.length > 0 ? sides : ['nothing breaks'])].join(', ');
}

function lineOf(difference: Difference): string {
  const { where, before, after, why } = difference;
  const names = methodsOf(difference);
  const touched = names.length > 0 ? ` [${names.join(', ')}]` : '';
  return `${labelOf(difference).padEnd(LABEL_WIDTH)}${where}: ${before} -> ${after}; ${why}${touched}`;
}

const LABEL_WIDTH = 'breaks requests and answers  '.length;

function labelOf({ requests, answers, callers }: Difference): string {
  const sides = [...(requests === 'breaking' ? ['requests'] : []), ...(answers === 'breaking' ? ['answers'] : [])];
  if (sides.length > 0) return `breaks ${sides.join(' and ')}`;
  return callers === 'breaking' ? 'breaks callers' : 'compatible';
}

/** The client's methods for the operations that a difference touches. */
function methodsOf({ operations }: Difference): string[] {
  // The names are the other WSDL's, such as toString.
  return operations.flatMap((operation) =>
    Object.hasOwn(methods, operation) ? methods[operation as OperationName] : [],
  );
}
