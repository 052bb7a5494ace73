import { performance } from 'node:perf_hooks';
import type { BulkClient } from '../../../src/bulk';
import { openBulk } from '../../../src/bulk';

/** Opens a file, sends to nowhere what is pending, and prints what that took. */
async function main(input: string): Promise<void> {
  let id = 0n;
  const client = {
    sendSimple: async ({ receptor }: { receptor: readonly string[] }) => receptor.map(() => ++id),
  } as unknown as BulkClient;
  const fields = { sender: '3000', message: 'Hello', unixdate: 0n, msgmode: 1 };
  const options = { client, input, fields, batchSize: 100 };
  const bulk = await openBulk(options);
  const opened = performance.now();
  const counts = await bulk.run({ once: true, baselinePagesize: 0 });
  await bulk.close();
  const seconds = [opened, performance.now() - opened].map((ms) => ms / 1000);
  process.stdout.write(
    JSON.stringify({
      counts,
      seconds,
      cpu: process.cpuUsage().user / 1e6,
      peak: process.resourceUsage().maxRSS * 1024,
    }),
  );
}

main(process.argv[2] as string).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
