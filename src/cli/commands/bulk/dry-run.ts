import { checkBulk, type Noticed, type RowOptions } from '../../../bulk';
import { formatJson } from '../../output/json';
import type { BulkCall } from './bulk-command';
import { formatCount, formatRows } from './report';

/** The meaning of rows that are alike. */
export const ALIKE = ': if a response to one of them is lost, only you can find out what became of it';

/** Checks a file, and says what would be sent and what may be a mistake. */
export async function checkOnly({ context: { log } }: BulkCall, options: RowOptions): Promise<void> {
  const { rows, batches, parts, first, ...noticed } = await checkBulk(options);
  log(`${formatRows(rows)} in ${formatCount(batches)} ${batches === 1 ? 'request' : 'requests'}; nothing was sent`);
  if (first) log(`first request: ${formatJson(first)}`);
  log(`${formatCount(parts)} ${parts === 1 ? 'part' : 'parts'} in all messages, as networks commonly count`);
  const tell = ({ count, rows: [row, ...others] }: Noticed, one: string, many: string, advice = '') => {
    if (row === undefined) return;
    const examples = others.length === 0 ? `row ${row}` : `rows ${[row, ...others].join(', ')}`;
    const all = count > others.length + 1 ? ', …' : '';
    log(`${formatRows(count)} ${count === 1 ? one : many} (${examples}${all})${advice}`);
  };
  const { skipDuplicates } = options;
  const skip = skipDuplicates ? '' : ': --skip-duplicates leaves them out';
  tell(noticed.excluded, 'is left out', 'are left out');
  tell(
    noticed.duplicates,
    'repeats the sender, receptor and text of an earlier row',
    'repeat the sender, receptor and text of an earlier row',
    skip,
  );
  tell(noticed.alike, 'is alike another row', 'are alike another row', ALIKE);
  tell(noticed.strangeReceptors, 'has a receptor that is not digits', 'have a receptor that is not digits');
  tell(
    noticed.rewrittenReceptors,
    'has the receptor of an earlier row in another writing',
    'have the receptor of an earlier row in another writing',
  );
  const hasBaseline = options.save?.baseline !== undefined;
  log(
    hasBaseline
      ? 'a baseline is given: a row whose response is lost can be looked up'
      : 'no baseline is given: a row whose response is lost cannot be looked up; --baseline-pagesize gives one',
  );
}
