import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { type Bench, FULL, QUICK } from './bench/bench';
import { measureBulk } from './bench/bulk';
import { measureArray, measureSmall } from './bench/calls';
import { type CandidateId, compile, compileGsoap, prepareCandidates } from './bench/candidates';
import { drawChart } from './bench/chart';
import { measureGrowth, measureLargeRequests } from './bench/growth';
import { measureLists, measureSerializations } from './bench/lists';
import type { Check, Repeated, Results, Row } from './bench/measurement';
import { stopAllAtExit } from './bench/processes';
import { formatMarkdown, formatText, type Report } from './bench/report';
import { measureSandbox } from './bench/sandbox';
import { startServer } from './bench/service';
import { measureStartUp } from './bench/start-up';
import { measureStreaming } from './bench/streaming';

const HELP = `
Measures this package against its peers: CPU time per call, memory, start-up. Each candidate runs in a process of its own,
rounds are interleaved, medians are compared, and what a candidate reads is compared before it is timed.

  npm run bench                       everything, in less than ten minutes; writes scripts/bench/results/
  npm run bench -- --quick            everything but what takes long, with fewer rounds, in about one; writes nothing
  npm run bench -- --only small,list  some parts
`;

const PARTS: Readonly<Record<string, (bench: Bench) => Promise<Results>>> = {
  small: measureSmall,
  array: measureArray,
  list: measureLists,
  serializations: measureSerializations,
  stream: measureStreaming,
  growth: measureGrowth,
  large: measureLargeRequests,
  start: measureStartUp,
  sandbox: measureSandbox,
  bulk: measureBulk,
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
    .option('--quick', 'fewer rounds and peers, in about a minute')
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
  const log = (what: string) =>
    console.error(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${what}`);
  log('compiling');
  const [gsoap] = await Promise.all([compileGsoap(folder), compile(folder)]);
  const server = await startServer(folder);
  const candidates = prepareCandidates(folder, server.url, gsoap);
  const bench: Bench = { plan: quick ? QUICK : FULL, folder, server, candidates, log };
  const rows: Row[] = [];
  const checks: Check[] = [];
  const repeated: Repeated[] = [];
  const raw: Record<string, unknown> = {};
  for (const part of only) {
    const results = await (PARTS[part] as (bench: Bench) => Promise<Results>)(bench);
    rows.push(...(results.rows ?? []));
    checks.push(...(results.checks ?? []));
    repeated.push(...(results.repeated ?? []));
    Object.assign(raw, results.raw);
  }
  await server.stop();
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}`,
    node: process.versions.node,
    command: commandOf(options),
    versions: Object.fromEntries(candidates.map(({ id, version }) => [id, version])) as Record<CandidateId, string>,
    rows,
    checks,
    repeated,
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
    throw new InvalidArgumentError(`${JSON.stringify(unknown)} is not one of ${Object.keys(PARTS).join(', ')}`);
  return parts;
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
