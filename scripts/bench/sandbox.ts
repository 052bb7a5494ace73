import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench';
import { program } from './contenders';
import { type Findings, median } from './findings';
import { LineProcess } from './processes';

const LIMIT = 5000;

interface Load {
  readonly callsPerSecond: number;
  readonly errors: number;
}

/** The sandbox under all ten operations in both SOAP versions, on the cores that the load runs on too. */
export async function measureSandbox(bench: Bench): Promise<Findings> {
  const bound = { what: 'sandbox, mixed load', unit: 'calls/s', limit: LIMIT, atLeast: true };
  if (!existsSync(join(bench.folder, 'src/sandbox/index.js'))) {
    return { checks: [{ ...bound, value: undefined, holds: undefined, note: 'there is no sandbox yet' }] };
  }
  const { rounds, milliseconds } = bench.plan.sandbox;
  const loads: Load[] = [];
  for (let round = 0; round < rounds; round++) {
    bench.tell(`sandbox under load, round ${round + 1}`);
    const sandbox = new LineProcess('the sandbox', program(bench.folder, 'contenders/sandbox'));
    const baseUrl = await sandbox.line();
    const load = new LineProcess('the load', [
      ...program(bench.folder, 'contenders/load'),
      baseUrl,
      String(milliseconds),
    ]);
    loads.push(JSON.parse(await load.line()) as Load);
    await load.stop();
    await sandbox.stop();
  }
  const value = median(loads.map(({ callsPerSecond }) => callsPerSecond)) as number;
  const errors = loads.reduce((sum, load) => sum + load.errors, 0);
  const holds = value >= LIMIT && errors === 0;
  const check = { ...bound, value, holds, note: errors > 0 ? `${errors} errors` : undefined };
  return { checks: [check], raw: { sandbox: loads } };
}
