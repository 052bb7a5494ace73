import { type BulkOptions, resolveBulkOptions, sourceOf } from './options';
import { checkRows } from './rows/check-rows';
import { readRows } from './rows/row-reader';
import { planBatches } from './sending/plan';

/**
 * Checks rows as openBulk does, and gives how many they are and how many requests they take. No journal is made.
 *
 * @throws {ConfigurationError | InputError}
 */
export async function checkBulk(
  options: Omit<BulkOptions, 'client'>,
): Promise<{ readonly rows: number; readonly batches: number }> {
  const { plan } = resolveBulkOptions(options);
  const source = sourceOf(options, plan);
  const digests = await checkRows(source);
  let batches = 0;
  for await (const _ of planBatches(readRows(source), { options: plan, digests, isPending: () => true })) batches += 1;
  return { rows: digests.count, batches };
}
