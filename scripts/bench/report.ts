import { CLIENT_IDS, CLIENTS, type ClientId } from './clients';
import { type Cell, median, type Row, type Target } from './results';

/** The results of a run. */
export interface Report {
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly command: string;
  /** The versions of the measured clients. */
  readonly versions: Partial<Record<ClientId, string>>;
  readonly rows: readonly Row[];
  readonly targets: readonly Target[];
}

const HEADINGS: Readonly<Record<ClientId, string>> = {
  'this-1.1': 'this, 1.1',
  'this-1.2': 'this, 1.2',
  earlier: 'earlier',
  undici: 'undici',
  gsoap: 'gSOAP',
  php: 'PHP',
  'node-soap': 'node-soap',
};

/** Writes a report in Markdown, which is also read on a terminal. */
export function formatReport(report: Report): string {
  const { date, machine, node, command, rows, targets } = report;
  const ids = CLIENT_IDS.filter((id) => report.versions[id] !== undefined);
  const versions = ids.map((id) => `${CLIENTS[id]} ${report.versions[id]}`);
  const held = targets.filter(({ holds }) => holds);
  const judged = targets.filter(({ holds }) => holds !== undefined);
  return [
    `${date}, ${machine}, Node ${node}, \`${command}\`. ${versions.join(', ')}.`,
    formatTable(
      ['CPU time or memory', ...ids.map((id) => HEADINGS[id])],
      rows.map((row) => [`${row.title}, ${row.unit}`, ...ids.map((id) => formatCell(row.cells[id]))]),
    ),
    notes(report).join('\n'),
    formatTable(
      ['target', 'measured', 'bound', 'holds'],
      targets.map((target) => [target.what, formatValue(target), formatBound(target), formatVerdict(target)]),
    ),
    targets.length > 0 ? `${held.length} of ${judged.length} targets hold.` : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, column) => '-'.repeat(width - 1) + (column === 0 ? '-' : ':'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** Brackets mark wrong results: the call was measured, but its result cannot be used. */
function formatCell(cell: Cell | undefined): string {
  if (!cell || cell.rounds.length === 0) return '–';
  const text = formatNumber(median(cell.rounds));
  return cell.wrong ? `(${text})` : text;
}

function formatNumber(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : 2);
}

function formatValue({ value, unit }: Target): string {
  return `${unit.startsWith('×') ? value.toFixed(value < 0.995 ? 3 : 2) : formatNumber(value)} ${unit}`;
}

function formatBound({ bound }: Target): string {
  return bound ? `${bound[0]} ${bound[1].toLocaleString('en')}` : '';
}

function formatVerdict({ holds }: Target): string {
  return holds === undefined ? '' : holds ? 'yes' : '**no**';
}

/** Explains brackets, and says how far the rounds of undici's dispatch differ: smaller differences between clients mean nothing. */
function notes({ rows }: Report): string[] {
  const wrong = rows.flatMap(({ title, cells }) =>
    CLIENT_IDS.flatMap((id) => (cells[id]?.wrong ? [`- ${CLIENTS[id]}, ${title}: ${cells[id].wrong}`] : [])),
  );
  const noise = rows.flatMap(({ title, cells }) => {
    const rounds = cells.undici?.rounds ?? [];
    if (rounds.length < 2) return [];
    const spread = (Math.max(...rounds) - Math.min(...rounds)) / median(rounds);
    return [`- ${title}: ${(100 * spread).toFixed(0)} % in ${rounds.length} rounds`];
  });
  return [
    ...(wrong.length > 0 ? ['Brackets mark results that are wrong:', '', ...wrong] : []),
    ...(wrong.length > 0 && noise.length > 0 ? [''] : []),
    ...(noise.length > 0
      ? ["The rounds of undici's bare dispatch, which is not ours, differed by:", '', ...noise]
      : []),
  ];
}
