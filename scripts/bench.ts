import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { type Bench, FULL, QUICK } from './bench/bench';
import { measureArray, measureList, measureSmall } from './bench/calls';
import { buildCommit, buildPrograms, CLIENT_IDS, prepareClients, program } from './bench/clients';
import { LineProcess, stopAllAtExit } from './bench/processes';
import { measureQueue } from './bench/queue';
import { formatReport, type Report } from './bench/report';
import type { Results, Row, Target } from './bench/results';
import { measureStartUp } from './bench/start-up';
import { measureBulk, measureSandbox, measureStream } from './bench/whole-programs';

const HELP = `
Compares this package with other SOAP clients, and with an earlier commit of itself: CPU time, memory and start-up. Each client
runs in a process of its own. The clients take turns in each round, and the medians of the rounds are compared. The bench
also checks each client's results.

  npm run bench                            measures everything in about ten minutes; writes scripts/bench/results/results.md
  npm run bench -- --quick                 measures shorter lists in fewer rounds, in about a minute; writes nothing
  npm run bench -- --only small,list       measures some parts
  npm run bench -- --earlier HEAD~1 --clients this-1.1,earlier --only small,array,list,start
                                           compares this commit with an earlier one
`;

const PARTS: Readonly<Record<string, (bench: Bench) => Promise<Results>>> = {
  small: measureSmall,
  array: measureArray,
  list: measureList,
  stream: measureStream,
  start: measureStartUp,
  sandbox: measureSandbox,
  bulk: measureBulk,
  queue: measureQueue,
};

interface Options {
  readonly quick?: boolean;
  readonly only: readonly string[];
  readonly clients: readonly string[];
  readonly earlier?: string;
  readonly out?: string;
}

async function main(): Promise<void> {
  const options = new Command('npm run bench --')
    .addHelpText('before', HELP)
    .option('--quick', 'measure shorter lists in fewer rounds, in about a minute')
    .option('--only <parts>', `measure these parts: ${Object.keys(PARTS).join(', ')}`, ...listOf(Object.keys(PARTS)))
    .option('--clients <names>', `measure these clients: ${CLIENT_IDS.join(', ')}`, ...listOf(CLIENT_IDS))
    .option('--earlier <commit>', 'also measure an earlier commit of this package')
    .option('--out <file>', 'write the results to this file')
    .parse()
    .opts<Options>();
  stopAllAtExit();
  const folder = mkdtempSync(join(tmpdir(), 'messaging-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const report = await run(folder, options);
  console.log(`\n${formatReport(report)}`);
  if (options.quick) console.log('A quick run warms up too little for small calls: judge them by a whole run.');
  // Only a whole run replaces the results of a whole run.
  const out = options.out ?? (process.argv.length === 2 ? join(__dirname, 'bench/results/results.md') : undefined);
  if (out !== undefined) writeFileSync(out, formatReport(report));
}

async function run(folder: string, options: Options): Promise<Report> {
  const start = performance.now();
  const log = (what: string) =>
    console.error(`${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${what}`);
  log('compiling');
  await buildPrograms(folder);
  const earlier = options.earlier === undefined ? undefined : await buildCommit(folder, options.earlier);
  const server = new LineProcess('the server', program(folder, 'server'));
  const url = `http://127.0.0.1:${await server.line()}/soap/v1.asmx`;
  const clients = await prepareClients(folder, url, options.clients, earlier);
  const bench: Bench = { plan: options.quick ? QUICK : FULL, folder, url, clients, earlier, log };
  const rows: Row[] = [];
  const targets: Target[] = [];
  for (const part of options.only) {
    const results = await (PARTS[part] as (bench: Bench) => Promise<Results>)(bench);
    rows.push(...(results.rows ?? []));
    targets.push(...(results.targets ?? []));
  }
  await server.stop();
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    node: process.versions.node,
    command: ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' '),
    versions: Object.fromEntries(clients.map(({ id, version }) => [id, version])),
    rows,
    targets,
  };
}

/** The parser of an option for a list of names, and its default: all names. */
function listOf(names: readonly string[]): [(text: string) => string[], readonly string[]] {
  const parse = (text: string): string[] => {
    const given = text.split(',');
    const unknown = given.find((name) => !names.includes(name));
    if (unknown === undefined) return given;
    throw new InvalidArgumentError(`${JSON.stringify(unknown)} is not one of ${names.join(', ')}`);
  };
  return [parse, names];
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
