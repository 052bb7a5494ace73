import type { Bench } from './bench';
import { program } from './candidates';
import { median, type Results } from './measurement';
import { LineProcess } from './processes';

const LIMIT = 5000;

interface Load {
  readonly callsPerSecond: number;
  readonly errors: number;
}

/** The sandbox under all ten operations in both SOAP versions, on the cores that the load runs on too. */
export async function measureSandbox(bench: Bench): Promise<Results> {
  const bound = { what: 'sandbox, mixed load', unit: 'calls/s', limit: LIMIT, atLeast: true };
  const { rounds, milliseconds } = bench.plan.sandbox;
  const loads: Load[] = [];
  for (let round = 0; round < rounds; round++) {
    bench.log(`sandbox under load, round ${round + 1}`);
    const sandbox = new LineProcess('the sandbox', program(bench.folder, 'candidates/sandbox'));
    const baseUrl = await sandbox.line();
    const load = new LineProcess('the load', [
      ...program(bench.folder, 'candidates/load'),
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
  const repeated = [{ what: 'sandbox, mixed load', rounds: loads.map(({ callsPerSecond }) => callsPerSecond) }];
  return { checks: [check], repeated, raw: { sandbox: loads } };
}
