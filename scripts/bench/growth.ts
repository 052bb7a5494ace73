import { type Bench, ownCandidates, RunningCandidate } from './bench';
import type { Workload } from './data';
import type { Check, Repeated, Results } from './measurement';

interface Growth {
  readonly title: string;
  readonly workload: Workload;
  readonly sizes: readonly number[];
}

const LIST_SIZES = [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000];

const REQUESTS: readonly Growth[] = [
  { title: 'sendArray of 1,000 to 100,000', workload: 'sendArray', sizes: [1000, 3000, 10_000, 30_000, 100_000] },
  { title: 'getStatus of 1,000 to 100,000', workload: 'getStatus', sizes: [1000, 3000, 10_000, 30_000, 100_000] },
];

/** The largest exponent of what is still called linear. */
const LIMIT = 1.1;
/** Each round of a size has about as many records, so that small sizes are not lost in noise. */
const RECORDS_A_ROUND = 50_000;

/** CPU against size, for lists. */
export function measureGrowth(bench: Bench): Promise<Results> {
  const longest = bench.plan.longestGrownList;
  const sizes = LIST_SIZES.filter((size) => size <= longest);
  const title = `list of 1,000 to ${longest.toLocaleString('en')} records`;
  return measure(bench, [{ title, workload: 'latest', sizes }], 'growth');
}

/** CPU against size, for requests. */
export const measureLargeRequests = (bench: Bench): Promise<Results> => measure(bench, REQUESTS, 'largeRequests');

async function measure(bench: Bench, growths: readonly Growth[], name: string): Promise<Results> {
  const checks: Check[] = [];
  const repeated: Repeated[] = [];
  const raw: Record<string, unknown> = {};
  for (const { title, workload, sizes } of growths) {
    bench.log(title);
    for (const candidate of ownCandidates(bench)) {
      const running = await RunningCandidate.start(candidate);
      const taken = new Map<number, number[]>(sizes.map((size) => [size, []]));
      const largest = Math.max(...sizes);
      await running.run(workload, largest);
      const wrong = await running.compare(bench, workload, largest);
      for (let round = 0; round <= bench.plan.ownRounds; round++) {
        for (const size of sizes) {
          const { cpuPerCall } = await running.run(workload, size, { calls: Math.ceil(RECORDS_A_ROUND / size) });
          if (round > 0) taken.get(size)?.push(cpuPerCall);
        }
      }
      await running.stop();
      repeated.push({ what: `${title}, ${candidate.id.slice(-3)}, the largest`, rounds: taken.get(largest) ?? [] });
      // Of each size the least: whatever else the machine does only adds, and not to all sizes alike.
      const points = Array.from(taken, ([size, values]) => ({ size, cpu: Math.min(...values) }));
      const exponent = slope(points.map(({ size, cpu }) => [Math.log(size), Math.log(cpu)]));
      checks.push({
        what: `${title}, ${candidate.id.slice(-3)}: CPU grows as n to the`,
        value: exponent,
        unit: '',
        limit: LIMIT,
        holds: exponent <= LIMIT && wrong === undefined,
        note: wrong,
      });
      raw[`${title}, ${candidate.id}`] = { points, exponent };
    }
  }
  return { checks, repeated, raw: { [name]: raw } };
}

/** Of the straight line through the points, by least squares. */
function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
