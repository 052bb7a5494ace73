import { bigintReplacer } from '../../src';
import { clientOf } from '../support/client';
import { responseOf, sentRecord } from '../support/envelopes';
import { serve } from '../support/raw-server';

test('JSON.stringify with bigintReplacer writes each long of a record as a string of all its digits', async () => {
  const service = await serve(responseOf('SelectlatestByApikey', sentRecord(7).replace('>7<', '>9007199254740993<')));
  const records = await clientOf(service).selectLatest({ pagesize: 1 });
  expect(() => JSON.stringify(records)).toThrow(/BigInt/);
  const json = JSON.stringify({ records, none: null, list: [1n, true, 'text'] }, bigintReplacer);
  expect(json).toContain('"messageid":"9007199254740993"');
  expect(JSON.parse(json)).toMatchObject({
    records: [{ messageid: '9007199254740993', date: '1700000000', cost: 120, message: 'text 7' }],
    none: null,
    list: ['1', true, 'text'],
  });
});
