import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { type Bench, FULL, QUICK } from './bench/bench';
import { measureArray, measureSmall } from './bench/calls';
import { drawChart } from './bench/chart';
import { type ContenderId, compile, prepareContenders } from './bench/contenders';
import type { Check, Findings, Row } from './bench/findings';
import { measureGrowth, measureLargeRequests } from './bench/growth';
import { measureLists, measureSpellings } from './bench/lists';
import { stopAllAtExit } from './bench/processes';
import { formatMarkdown, formatText, type Report } from './bench/report';
import { measureSandbox } from './bench/sandbox';
import { startServer } from './bench/service';
import { measureStartUp } from './bench/start-up';
import { measureStreaming } from './bench/streaming';

const HELP = `
Measures this package against its peers: CPU time per call, memory, start-up. Each contender runs in a process of its own,
rounds are interleaved, medians are compared, and what a contender reads is compared before it is timed.

  npm run bench                       everything, in less than ten minutes; writes scripts/bench/results/
  npm run bench -- --quick            everything but what takes long, with fewer rounds, in little more than one; writes nothing
  npm run bench -- --only small,list  some parts
`;

const PARTS: Readonly<Record<string, (bench: Bench) => Promise<Findings>>> = {
  small: measureSmall,
  array: measureArray,
  list: measureLists,
  spellings: measureSpellings,
  stream: measureStreaming,
  growth: measureGrowth,
  large: measureLargeRequests,
  start: measureStartUp,
  sandbox: measureSandbox,
};

interface Options {
  readonly quick?: boolean;
  readonly only: readonly string[];
  readonly out?: string;
}

async function main(): Promise<void> {
  const root = resolve(__dirname, '..');
  const options = new Command('bench')
    .addHelpText('before', HELP)
    .option('--quick', 'fewer rounds and peers, in little more than a minute')
    .option('--only <parts>', `comma separated: ${Object.keys(PARTS).join(', ')}`, parseParts, Object.keys(PARTS))
    .option('--out <file>', 'where raw results go as JSON, with results.md and chart.svg beside it')
    .parse()
    .opts<Options>();
  stopAllAtExit();
  const folder = mkdtempSync(join(tmpdir(), 'messaging-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const report = await run(folder, options);
  console.log(`\n${formatText(report)}`);
  if (options.quick) console.log('A quick run warms up too little for small requests: judge those by a whole run.');
  // A part of the rows, or a quick look at them, must not take the place of a whole run's results.
  const whole = !options.quick && hasAllParts(options);
  const out = options.out ?? (whole ? join(root, 'scripts/bench/results/results.json') : undefined);
  if (out) await save(report, resolve(out));
}

async function run(folder: string, options: Options): Promise<Report> {
  const { quick, only } = options;
  const start = performance.now();
  const tell = (what: string) =>
    console.error(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${what}`);
  tell('compiling');
  compile(folder);
  const server = await startServer(folder);
  const contenders = prepareContenders(folder, server.url);
  const bench: Bench = { plan: quick ? QUICK : FULL, folder, server, contenders, tell };
  const rows: Row[] = [];
  const checks: Check[] = [];
  const raw: Record<string, unknown> = {};
  for (const part of only) {
    const findings = await (PARTS[part] as (bench: Bench) => Promise<Findings>)(bench);
    rows.push(...(findings.rows ?? []));
    checks.push(...(findings.checks ?? []));
    Object.assign(raw, findings.raw);
  }
  await server.stop();
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}`,
    node: process.versions.node,
    command: commandOf(options),
    versions: Object.fromEntries(contenders.map(({ id, version }) => [id, version])) as Record<ContenderId, string>,
    rows,
    checks,
    raw,
  };
}

async function save(report: Report, out: string): Promise<void> {
  const folder = dirname(out);
  await mkdir(folder, { recursive: true });
  await writeFile(out, `${JSON.stringify(report, undefined, 2)}\n`);
  await writeFile(join(folder, 'results.md'), formatMarkdown(report));
  await writeFile(join(folder, 'chart.svg'), drawChart(report));
  console.log(`\nwritten: ${relative(process.cwd(), out)}, with results.md and chart.svg beside it`);
}

/** What to type for the same run, wherever its results are to go. */
function commandOf(options: Options): string {
  const words = [
    ...(options.quick ? ['--quick'] : []),
    ...(hasAllParts(options) ? [] : ['--only', options.only.join(',')]),
  ];
  return ['npm run bench', ...(words.length > 0 ? ['--', ...words] : [])].join(' ');
}

function hasAllParts({ only }: Options): boolean {
  return Object.keys(PARTS).every((part) => only.includes(part));
}

function parseParts(text: string): string[] {
  const parts = text.split(',');
  const unknown = parts.find((part) => !Object.hasOwn(PARTS, part));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`${JSON.stringify(unknown)} is none of ${Object.keys(PARTS).join(', ')}`);
  return parts;
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
