import { type Bench, ownCandidates } from './bench';
import { program } from './candidates';
import type { Check, Results } from './measurement';
import { LineProcess } from './processes';

const RECORDS = 1_000_000;
const MIB = 1024 * 1024;
const LIMIT = 64;

interface Streamed {
  readonly count: number;
  readonly wrong: number;
  /** In bytes; the first is the one after 10,000 records. */
  readonly samples: readonly { readonly records: number; readonly rss: number; readonly heapUsed: number }[];
  /** In microseconds. */
  readonly cpu: number;
}

/** A million records through the stream, and how memory goes meanwhile. */
export async function measureStreaming(bench: Bench): Promise<Results> {
  const checks: Check[] = [];
  const raw: Record<string, Streamed> = {};
  for (const { id } of ownCandidates(bench)) {
    const version = id.slice(-3);
    bench.log(`${RECORDS.toLocaleString('en')} records streamed, SOAP ${version}`);
    const command = [...program(bench.folder, 'candidates/stream'), bench.server.url, version, String(RECORDS)];
    const process = new LineProcess('the stream', command);
    const streamed = JSON.parse(await process.line()) as Streamed;
    await process.stop();
    raw[id] = streamed;
    const [first, ...later] = streamed.samples.map(({ rss }) => rss / MIB) as [number, ...number[]];
    const growth = Math.max(...later) - first;
    const complete = streamed.count === RECORDS && streamed.wrong === 0;
    checks.push({
      what: `${RECORDS.toLocaleString('en')} records streamed, ${version}: memory above that after 10,000 (${first.toFixed(0)} MiB)`,
      value: growth,
      unit: 'MiB',
      limit: LIMIT,
      holds: complete && growth <= LIMIT,
      note: complete ? undefined : `${streamed.count} records, ${streamed.wrong} wrong`,
    });
  }
  return { checks, raw: { streaming: raw } };
}
