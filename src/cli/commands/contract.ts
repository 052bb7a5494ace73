import { Option } from 'commander';
import { methods, type OperationName, service } from '../../../generated/operations';
import type { Comparison, ContractProblem, Difference, LoadOptions } from '../../contract';
import { quoteForShell } from '../../internal/shell';
import { endpointPath, wsdlAddressOf } from '../../soap/wsdl';
import { type CliCommand, type Context, optionsOf } from '../commander/command';
import { formatJson } from '../output/json';
import { ResultPrinter, reportType } from '../output/result-printer';
import { addSettings, formats, type GlobalOptions } from '../settings/global-options';
import { checkSettings } from '../settings/session';
import { pickSettings, readSettings } from '../settings/settings';
import { describeWsdlFailure } from '../terminal/advice';
import { CommandFailure, exitCodes, UsageError } from '../terminal/failure';
import { interruptible, type Terminal } from '../terminal/io';
import { visible, wrap } from '../terminal/text';

/** The number of problems that are printed. A WSDL may have thousands. */
const MAX_PROBLEMS = 20;

export function defineContract(command: CliCommand, context: Context): void {
  command
    .description("Compares the contract that this program was built from with a service's WSDL.")
    .helpCommand(false)
    .addExamples(['contract diff'])
    .addSubcommand('diff', "compare the contract with a service's WSDL, by meaning", (diff) =>
      defineDiff(diff, context),
    );
}

const settingsOfDiff = ['baseUrl', 'timeoutMs', 'caFile', 'proxy'] as const;

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
  addSettings(diff, settingsOfDiff);
  diff.addOption(new Option('--output <format>', 'table, json, ndjson or csv (default: table)').choices(formats));
  diff.action(async (source: string | undefined) => {
    const given: GlobalOptions = optionsOf(diff);
    const names = source === undefined ? settingsOfDiff : settingsOfDiff.filter((name) => name !== 'baseUrl');
    const inForce = pickSettings(readSettings(given, context), names);
    const { options } = checkSettings(inForce, context, { needed: source === undefined ? ['baseUrl'] : [] });
    const address = source ?? wsdlAddressOf(`${options.baseUrl}${service.path}`);
    const { timeoutMs, proxy, tls } = options;
    const comparison = await interruptible(context.io.signals, (signal) =>
      compare(address, { timeoutMs, proxy, tls, signal }, context),
    );
    const { io, stdout } = context;
    if (given.output === 'csv' || given.output === 'ndjson') {
      const printer = new ResultPrinter(reportType(COLUMNS), given, context);
      await printer.print(comparison.differences.map((difference) => rowOf(difference, given.output === 'csv')));
      await printer.end();
    } else {
      await stdout.write(given.output === 'json' ? jsonOf(comparison, io.stdout) : textOf(comparison, io.stdout));
    }
    if (comparison.breaking)
      throw new CommandFailure(exitCodes.contract, `${comparison.source} breaks requests or responses`);
  });
}

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
      // At its address without a query, a service sends a page for people.
      const hint = ADDRESS.test(source) && !/wsdl/i.test(source) ? `; try ${wsdlAddressOf(name)}` : '';
      throw new UsageError(`${name} is not a WSDL that can be compared${count}${hint}`);
    }
    if ((error as NodeJS.ErrnoException).code !== undefined) throw new UsageError((error as Error).message);
    throw error;
  }
}

function lineOfProblem({ file, line, text }: ContractProblem): string {
  return `${file}:${line}: ${text}`;
}

const ADDRESS = /^https?:\/\//i;

const COLUMNS = [
  'requests',
  'responses',
  'callers',
  'where',
  'before',
  'after',
  'why',
  'operations',
  'methods',
  'field',
];

/** Makes a row of a difference. A cell of CSV is a text. */
function rowOf(difference: Difference, isCsv: boolean): Readonly<Record<string, unknown>> {
  const lists = { operations: difference.operations, methods: methodsOf(difference) };
  if (!isCsv) return { ...difference, ...lists };
  return { ...difference, operations: lists.operations.join(' '), methods: lists.methods.join(' ') };
}

function jsonOf({ source, breaking, settings, differences }: NamedComparison, { isTTY }: Terminal): string {
  const rows = differences.map((difference) => rowOf(difference, false));
  return `${formatJson({ source, breaking, settings, differences: rows }, isTTY)}\n`;
}

/** On a terminal a long line is wrapped; in a file each difference is one line. */
function textOf({ source, settings, differences }: NamedComparison, { isTTY, columns }: Terminal): string {
  const width = isTTY ? Math.min(columns || 80, MAX_WIDTH) : Number.POSITIVE_INFINITY;
  const lines = [
    `${source}: ${summaryOf(differences)}`,
    ...differences.flatMap((difference) =>
      wrap(visible(lineOf(difference)), width - INDENT.length).map((line, index) =>
        index === 0 ? line : INDENT + line,
      ),
    ),
    '',
    'Settings for this service:',
    `  MESSAGING_NAMESPACE=${quoteForShell(settings.namespace)}`,
    ...baseUrlLines(source, settings).map((line) => `  ${line}`),
  ];
  return lines.map((line) => `${visible(line)}\n`).join('');
}

/**
 * Proposes a base URL. The WSDL of a service behind a proxy often names http, or a host that is not reachable from
 * here. Where the WSDL was fetched is proved, so it is proposed, unless only the other address has TLS.
 */
function baseUrlLines(source: string, { baseUrl }: Comparison['settings']): string[] {
  const setting = (url: string) => `MESSAGING_BASE_URL=${quoteForShell(url)}`;
  if (baseUrl === undefined) return ['# no base URL leads to the address of this service'];
  const fetched = ADDRESS.test(source) ? fetchedBaseUrl(source) : undefined;
  if (fetched === undefined) return [...hostRemarks(source, baseUrl), setting(baseUrl)];
  if (new URL(fetched).origin === new URL(baseUrl).origin) return [setting(baseUrl)];
  const isSafer = baseUrl.startsWith('https:') && !fetched.startsWith('https:');
  const [proposed, other] = isSafer ? [baseUrl, fetched] : [fetched, baseUrl];
  const [of, ofOther] = isSafer
    ? ['that the WSDL names', 'where the WSDL was fetched']
    : ['where the WSDL was fetched', 'that the WSDL names'];
  return [`# the address ${of}; the address ${ofOther} is ${other}`, setting(proposed)];
}

/** Says that a WSDL, which was fetched from another address than that of the service, names another host. */
function hostRemarks(source: string, baseUrl: string): string[] {
  if (!ADDRESS.test(source) || new URL(source).host === new URL(baseUrl).host) return [];
  return [
    `# the WSDL was fetched from ${new URL(source).host}, and names another host: ask your provider which one is right`,
  ];
}

/** Returns the base URL of a service whose WSDL was fetched; undefined when its path is not the one of the contract. */
function fetchedBaseUrl(source: string): string | undefined {
  const { origin, pathname } = new URL(source);
  return pathname.endsWith(endpointPath) ? origin + pathname.slice(0, -endpointPath.length) : undefined;
}

function summaryOf(differences: readonly Difference[]): string {
  if (differences.length === 0) return 'no difference';
  const count = differences.length === 1 ? '1 difference' : `${differences.length} differences`;
  const broken = sides.flatMap((side) => {
    const { length } = differences.filter((difference) => difference[side] === 'breaking');
    return length === 0 ? [] : [`${length} ${length === 1 ? 'breaks' : 'break'} ${side}`];
  });
  return [count, ...(broken.length > 0 ? broken : ['nothing breaks'])].join(', ');
}

function lineOf(difference: Difference): string {
  const { where, before, after, why } = difference;
  const broken = sides.filter((side) => difference[side] === 'breaking');
  // Callers are named when nothing else breaks.
  const named = broken.length > 1 ? broken.filter((side) => side !== 'callers') : broken;
  const label = named.length > 0 ? `breaks ${named.join(' and ')}` : 'compatible';
  const names = methodsOf(difference);
  const touched = names.length > 0 ? ` [${names.join(', ')}]` : '';
  return `${label.padEnd(LABEL_WIDTH)}${where}: ${before} -> ${after}; ${why}${touched}`;
}

const sides = ['requests', 'responses', 'callers'] as const;
const INDENT = '    ';
/** The longest line on a terminal, in columns: wider text is hard to read. */
const MAX_WIDTH = 100;
const LABEL_WIDTH = 'breaks requests and responses  '.length;

function methodsOf({ operations }: Difference): string[] {
  // The names come from the other WSDL, and may be toString.
  return operations.flatMap((operation) =>
    Object.hasOwn(methods, operation) ? methods[operation as OperationName] : [],
  );
}
