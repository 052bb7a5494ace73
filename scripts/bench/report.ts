import { CANDIDATES, type CandidateId } from './candidates';
import { type Cell, type Check, type Repeated, type Row, spread } from './measurement';

/** Everything that a run found. */
export interface Report {
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly command: string;
  /** Names and versions of what was measured; an empty version is one that is not installed. */
  readonly versions: Readonly<Record<CandidateId, string>>;
  readonly rows: readonly Row[];
  readonly checks: readonly Check[];
  readonly repeated: readonly Repeated[];
  readonly raw: Readonly<Record<string, unknown>>;
}

const IDS = Object.keys(CANDIDATES) as CandidateId[];
const SHORT: Readonly<Record<CandidateId, string>> = {
  'messaging-1.1': 'this, 1.1',
  'messaging-1.2': 'this, 1.2',
  baseline: 'undici',
  gsoap: 'gSOAP',
  php: 'PHP',
  'node-soap': 'node-soap',
  'node-soap-keep-alive': 'keep-alive',
  'strong-soap': 'strong-soap',
  zeep: 'zeep',
};

/** For the terminal. */
export function formatText(report: Report): string {
  const table = [
    ['', ...IDS.map((id) => SHORT[id])],
    ...report.rows.map((row) => [`${row.title}, ${row.unit}`, ...IDS.map((id) => formatCell(row.cells[id]))]),
  ];
  const checks = report.checks.map((check) => `${mark(check)} ${formatCheck(check)}`);
  return [
    `${report.date}, ${report.machine}, Node ${report.node}`,
    align(table),
    notes(report).join('\n'),
    checks.join('\n'),
    noise(report).join('\n'),
    summary(report),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** For the README. */
export function formatMarkdown(report: Report): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rows = report.rows.map((row) =>
    line([`${row.title}, ${row.unit}`, ...IDS.map((id) => formatCell(row.cells[id]))]),
  );
  const checks = report.checks.map((check) =>
    line([
      check.what,
      formatValue(check),
      formatLimit(check),
      check.holds === undefined ? '' : check.holds ? 'yes' : '**no**',
      check.note ?? '',
    ]),
  );
  return [
    `${report.date}, ${report.machine}, Node ${report.node}, \`${report.command}\`. ${versionList(report)}`,
    [line(['CPU or memory', ...IDS.map((id) => SHORT[id])]), line(['---', ...IDS.map(() => '--:')]), ...rows].join(
      '\n',
    ),
    notes(report).join('  \n'),
    noise(report).join('  \n'),
    [line(['target', 'measured', 'bound', 'holds', '']), line(['---', '--:', '---', '---', '---']), ...checks].join(
      '\n',
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

export function formatNumber(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
}

/** What was read wrong is in brackets: it was measured, but it is no answer. */
function formatCell(cell: Cell | undefined): string {
  if (cell?.value === undefined) return '–';
  return cell.wrong ? `(${formatNumber(cell.value)})` : formatNumber(cell.value);
}

function notes({ rows }: Report): string[] {
  const wrong = new Map<string, string>();
  const missing = new Map<string, Set<string>>();
  for (const row of rows) {
    for (const id of IDS) {
      const cell = row.cells[id];
      if (cell?.wrong) wrong.set(CANDIDATES[id], `${row.title}: ${cell.wrong}`);
      if (cell?.note) missing.set(cell.note, (missing.get(cell.note) ?? new Set()).add(CANDIDATES[id]));
    }
  }
  return [
    ...(wrong.size > 0 ? ['In brackets: disqualified, since what it gives is wrong.'] : []),
    ...Array.from(wrong, ([name, what]) => `${name}: ${what}.`),
    ...Array.from(missing, ([note, whom]) => `– (${note}): ${Array.from(whom).join(', ')}.`),
  ];
}

function versionList({ versions }: Report): string {
  return `${IDS.filter((id) => versions[id] !== '')
    .map((id) => `${CANDIDATES[id]}: ${versions[id]}`)
    .join('; ')}.`;
}

function mark({ holds }: Check): string {
  if (holds === undefined) return '  ';
  return holds ? 'ok' : 'NO';
}

function formatCheck(check: Check): string {
  const note = check.note ? ` [${check.note}]` : '';
  const limit = formatLimit(check);
  return `${check.what}: ${formatValue(check)}${limit ? `, ${limit}` : ''}${note}`;
}

function formatValue({ value, unit, against }: Check): string {
  if (value === undefined) return 'not measured';
  const text = unit === '×' || unit === '' ? value.toFixed(value < 0.995 ? 3 : 2) : formatNumber(value);
  return [text, unit, against].filter(Boolean).join(' ');
}

function formatLimit({ limit, unit, atLeast }: Check): string {
  if (Number.isNaN(limit)) return '';
  return `${atLeast ? 'at least' : 'at most'} ${limit.toLocaleString('en')}${unit ? ` ${unit}` : ''}`;
}

/** How far apart measurements of one and the same thing were: a smaller difference between two things says nothing. */
function noise({ repeated }: Report): string[] {
  const spreads = repeated.flatMap(({ what, rounds }) => {
    const value = spread(rounds);
    return value === undefined ? [] : [{ what, value, count: rounds.length }];
  });
  if (spreads.length === 0) return [];
  const lines = spreads.map(({ what, value, count }) => `   ${what}: ${(100 * value).toFixed(0)} % in ${count} rounds`);
  const largest = Math.max(...spreads.map(({ value }) => value));
  const verdict = largest > NOISY ? 'The machine was too busy for a verdict: ' : '';
  return [`${verdict}${verdict ? 'the' : 'The'} same thing, measured again, differed by`, ...lines];
}

/** Beyond this, what a machine did besides decides about targets that are as close as these. */
const NOISY = 0.5;

function summary({ checks }: Report): string {
  const judged = checks.filter(({ holds }) => holds !== undefined);
  return `${judged.filter(({ holds }) => holds).length} of ${judged.length} targets hold.`;
}

function align(table: readonly (readonly string[])[]): string {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  return table
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}
