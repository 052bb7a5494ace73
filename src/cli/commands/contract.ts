import { Option } from 'commander';
import { type OperationName, service } from '../../../generated/operations';
import { methods } from '../../client';
import type { Comparison, ContractProblem, Difference, LoadOptions } from '../../contract';
import { quoteForShell } from '../../internal/strings';
import { wsdlAddressOf } from '../../soap/wsdl';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { formatJson } from '../output/json';
import { ResultPrinter, reportType } from '../output/result-printer';
import { checkSettings } from '../settings/client';
import { addSettings, formats, type GlobalOptions } from '../settings/global-options';
import { readSettings } from '../settings/settings';
import { describeWsdlFailure } from '../terminal/advice';
import { CommandFailure, exitCodes, UsageError } from '../terminal/failure';
import { interruptible, type Terminal } from '../terminal/io';
import { visible, wrap } from '../terminal/text';

/** The number of problems that are printed. A WSDL may have thousands. */
const MAX_PROBLEMS = 20;

/** Defines the command that compares the contract of this program with a service's WSDL. */
export function defineContract(command: CliCommand, context: Context): void {
  command
    .description("Compares the contract that this program was built from with a service's WSDL.")
    .helpCommand(false)
    .addExamples(['contract diff'])
    .addSubcommand('diff', "compare the contract with a service's WSDL, by meaning", (diff) =>
      defineDiff(diff, context),
    );
}

function defineDiff(diff: CliCommand, context: Context): void {
  diff
    .description(
      'Compares the contract that this program was built from with another WSDL of the service, by meaning. Prints a line for each difference and what it breaks, then the settings for that service. Exits with 7 when a difference breaks requests or responses. The request for the WSDL has no API key.',
    )
    .argument('[source]', `a file or an address (default: --base-url with ${wsdlAddressOf(service.path)})`)
    .addExamples([
      'contract diff',
      "contract diff 'https://provider.example/soap/v1.asmx?wsdl'",
      'contract diff their.wsdl --output json',
    ]);
  addSettings(diff, ['baseUrl', 'timeoutMs', 'caFile', 'proxy']);
  diff.addOption(new Option('--output <format>', 'table, json, ndjson or csv (default: table)').choices(formats));
  diff.action(async (source: string | undefined) => {
    const given: GlobalOptions = optionsOf(diff);
    const { baseUrl, timeoutMs: limit, caFile, proxy: way } = readSettings(given, context);
    const used = { timeoutMs: limit, caFile, proxy: way };
    const options = source === undefined ? checkSettings({ ...used, baseUrl }, ['baseUrl']) : checkSettings(used, []);
    const address = source ?? wsdlAddressOf(`${options.baseUrl}${service.path}`);
    const { timeoutMs, proxy, tls } = options;
    const comparison = await interruptible(context.io.signals, (signal) =>
      compare(address, { timeoutMs, proxy, tls, signal }, context),
    );
    await print(comparison, given, context);
    if (!comparison.breaking) return;
    throw new CommandFailure(exitCodes.contract, `${comparison.source} breaks requests or responses`);
  });
}

/** A comparison with the name of the other WSDL, for messages. */
interface NamedComparison extends Comparison {
  readonly source: string;
}

async function compare(
  source: string,
  options: LoadOptions & { readonly signal: AbortSignal },
  { log }: Context,
): Promise<NamedComparison> {
  // The module is loaded here, because no other command needs it.
  const { compareContracts, ContractError, FetchError, loadContract, nameOf, readOwnContract } =
    require('../../contract') as typeof import('../../contract');
  const name = nameOf(source);
  if (ADDRESS.test(source) && !URL.canParse(source)) throw new UsageError(`${name}: not a URL`);
  try {
    const ours = readOwnContract();
    const { contract: theirs, problems } = await loadContract(source, options, ours);
    // The content of an import that is not followed is not compared.
    for (const problem of problems) if (problem.kind === 'import') log(lineOfProblem(problem));
    return { source: name, ...compareContracts(ours, theirs) };
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof FetchError) {
      const exitCode = error.sent ? exitCodes.unknown : exitCodes.notSent;
      throw new CommandFailure(exitCode, `no WSDL to compare: ${describeWsdlFailure(error)}`);
    }
    if (error instanceof ContractError) {
      for (const problem of error.problems.slice(0, MAX_PROBLEMS)) log(lineOfProblem(problem));
      const others = error.problems.length - MAX_PROBLEMS;
      const count = others > 0 ? ` (${others} more ${others === 1 ? 'problem' : 'problems'})` : '';
      throw new UsageError(`${name} is not a WSDL that can be compared${count}${hintFor(name)}`);
    }
    if ((error as NodeJS.ErrnoException).code !== undefined) throw new UsageError((error as Error).message);
    throw error;
  }
}

function lineOfProblem({ file, line, text }: ContractProblem): string {
  return `${file}:${line}: ${text}`;
}

/** Suggests the address of the WSDL. At its address without a query, a service sends a page for people. */
function hintFor(source: string): string {
  return ADDRESS.test(source) && !/wsdl/i.test(source) ? `; try ${wsdlAddressOf(source)}` : '';
}

const ADDRESS = /^https?:\/\//i;

async function print(comparison: NamedComparison, given: GlobalOptions, context: Context): Promise<void> {
  const { source, breaking, settings, differences } = comparison;
  if (given.output === 'csv' || given.output === 'ndjson') {
    const printer = new ResultPrinter(reportType(COLUMNS), given, context);
    await printer.print(given.output === 'csv' ? differences.map(rowOf) : differences.map(withMethods));
    await printer.end();
  } else if (given.output === 'json') {
    const rows = differences.map(withMethods);
    await context.stdout.write(
      `${formatJson({ source, breaking, settings, differences: rows }, context.io.stdout.isTTY)}\n`,
    );
  } else {
    await context.stdout.write(formatText(comparison, context.io.stdout));
  }
}

const COLUMNS = 'where before after requests responses callers why operations methods field'.split(' ');

function withMethods(difference: Difference): Difference & { readonly methods: readonly string[] } {
  return { ...difference, methods: methodsOf(difference) };
}

/** Puts the operations and the methods into one cell each. */
function rowOf(difference: Difference): Readonly<Record<string, unknown>> {
  const { operations, methods: names, ...texts } = withMethods(difference);
  return { ...texts, operations: operations.join(' '), methods: names.join(' ') };
}

/** On a terminal a long line is wrapped; in a file each difference is one line. */
function formatText({ source, settings, differences }: NamedComparison, { isTTY, columns }: Terminal): string {
  const width = isTTY ? Math.min(columns || 80, MAX_WIDTH) : Number.POSITIVE_INFINITY;
  const { namespace, baseUrl } = settings;
  const base =
    baseUrl === undefined
      ? '# no base URL leads to the address of this service'
      : `MESSAGING_BASE_URL=${quoteForShell(baseUrl)}`;
  const lines = [
    `${source}: ${summaryOf(differences)}`,
    ...differences.flatMap((difference) =>
      wrap(visible(lineOf(difference)), width - INDENT.length).map((line, index) =>
        index === 0 ? line : INDENT + line,
      ),
    ),
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
  const sides = (['requests', 'responses', 'callers'] as const)
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

const INDENT = '    ';
/** The longest line on a terminal, in columns: wider text is hard to read. */
const MAX_WIDTH = 100;
const LABEL_WIDTH = 'breaks requests and responses  '.length;

function labelOf(difference: Difference): string {
  const sides = (['requests', 'responses'] as const).filter((side) => difference[side] === 'breaking');
  if (sides.length > 0) return `breaks ${sides.join(' and ')}`;
  return difference.callers === 'breaking' ? 'breaks callers' : 'compatible';
}

/** Returns the client's methods for the operations of a difference. */
function methodsOf({ operations }: Difference): string[] {
  // The names come from the other WSDL, and may be toString.
  return operations.flatMap((operation) =>
    Object.hasOwn(methods, operation) ? methods[operation as OperationName] : [],
  );
}
