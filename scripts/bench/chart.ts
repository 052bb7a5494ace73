import { CANDIDATES, type CandidateId } from './candidates';
import type { Row } from './measurement';
import { formatNumber, type Report } from './report';

const WIDTH = 760;
const BAR = 18;
const GAP = 8;
const LABEL = 190;
const VALUE = 120;
const PANEL_HEAD = 44;
const PANEL_GAP = 26;

/** The panels, each a row of the results. */
const PANELS: readonly { readonly row: string; readonly title: string }[] = [
  { row: 'small-1', title: 'CPU of a small call' },
  { row: 'list-200000', title: 'CPU of a list of 200,000 records' },
];

/** Bars of CPU time per candidate, the least first. Colours follow the reader's light or dark mode. */
export function drawChart(report: Report): string {
  let top = 0;
  const panels = PANELS.flatMap(({ row: id, title }) => {
    const row = report.rows.find((candidate) => candidate.id === id);
    if (!row) return [];
    const panel = drawPanel(row, title, top);
    top += panel.height + PANEL_GAP;
    return [panel.svg];
  });
  const height = Math.max(0, top - PANEL_GAP) + 34;
  const source = `${report.date}, ${report.machine}, Node ${report.node}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="CPU time by client">
<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; font-size: 15px; }
  .quiet { fill: #59636e; font-size: 12px; }
  .ours { fill: #1a7f37; } .baseline { fill: #8c959f; } .other { fill: #0969da; } .wrong { fill: #0969da; fill-opacity: 0.45; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; } .quiet { fill: #9198a1; }
    .ours { fill: #3fb950; } .baseline { fill: #656c76; } .other { fill: #4493f8; } .wrong { fill: #4493f8; }
  }
</style>
${panels.join('\n')}
<text class="quiet" x="0" y="${height - 8}">${escapeXml(source)}. Pale: gives wrong data.</text>
</svg>
`;
}

function drawPanel(row: Row, title: string, top: number): { readonly svg: string; readonly height: number } {
  const bars = (Object.keys(CANDIDATES) as CandidateId[])
    .flatMap((id) => {
      const cell = row.cells[id];
      return cell?.value === undefined ? [] : [{ id, value: cell.value, wrong: cell.wrong !== undefined }];
    })
    .sort((left, right) => left.value - right.value);
  const largest = Math.max(...bars.map(({ value }) => value));
  const lines = bars.map(({ id, value, wrong }, index) => {
    const y = top + PANEL_HEAD + index * (BAR + GAP);
    const width = Math.max(2, (value / largest) * (WIDTH - LABEL - VALUE));
    const text = y + BAR - 4;
    return `<text x="${LABEL - 10}" y="${text}" text-anchor="end">${escapeXml(CANDIDATES[id])}</text>
<rect class="${classOf(id, wrong)}" x="${LABEL}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="2"/>
<text x="${(LABEL + width + 8).toFixed(1)}" y="${text}">${formatNumber(value)} ${row.unit}</text>`;
  });
  const head = `<text class="title" x="0" y="${top + 18}">${escapeXml(title)}</text>
<text class="quiet" x="0" y="${top + 34}">${escapeXml(row.title)}; shorter is better</text>`;
  return { svg: [head, ...lines].join('\n'), height: PANEL_HEAD + bars.length * (BAR + GAP) };
}

function classOf(id: CandidateId, wrong: boolean): string {
  if (id.startsWith('messaging')) return 'ours';
  if (id === 'baseline') return 'baseline';
  return wrong ? 'wrong' : 'other';
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
