import { readFileSync } from 'node:fs';
import { openBulk, type Progress } from '../../src/bulk';
import { cleanUp } from '../support/clean-up';
import { isFull } from '../support/loops';
import { startLimitedService } from './limited-service';
import { advanceClock, clientOf, csvOf, damageOf, fields, onePass, startService } from './support';

/** As a gateway writes it that limits requests. */
const busy = { http: { status: 429, headers: { 'retry-after': '1' }, body: 'too many requests' } };

/** Opens so many rows at a service. Pauses take no time: they move the clock. */
async function open(rows: number) {
  const { sandbox, client } = await startService();
  const { input, journal } = csvOf(rows);
  const bulk = await openBulk({ client, input, fields });
  cleanUp(() => bulk.close());
  const pauses: number[] = [];
  const failures: Progress['failure'][] = [];
  const watching = {
    onPause: (ms: number) => {
      pauses.push(ms);
      advanceClock(ms);
    },
    onProgress: ({ failure }: Progress) => failure && failures.push(failure),
  };
  return { sandbox, journal, bulk, pauses, failures, watching };
}

test('rows that a service pushed back stay pending, and are sent by the same command after the pause', async () => {
  const { sandbox, journal, bulk, pauses, failures, watching } = await open(5);
  sandbox.reply('SendSimpleByApikey', busy, { times: 7 });
  const settings = { baselinePagesize: 0, concurrency: 1, stopAfterFailures: 2 };
  expect(await bulk.run({ ...watching, ...settings })).toMatchObject({
    sent: 5,
    pending: 0,
    rejected: 0,
    stopped: undefined,
  });
  expect(damageOf(sandbox, 5)).toEqual({ twice: 0, lost: 0 });
  expect([pauses, failures]).toEqual([Array(7).fill(1000), []]);
  expect(readFileSync(journal, 'utf8').match(/"t":"not-sent".*"error":"HTTP status 429"/g)).toHaveLength(7);
});

test('a fault that refuses the request and comes with HTTP status 429 pushes back too', async () => {
  const { sandbox, bulk, pauses, watching } = await open(2);
  const body = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>s:Client</faultcode><faultstring>slower</faultstring></s:Fault></s:Body></s:Envelope>`;
  sandbox.reply('SendSimpleByApikey', { http: { status: 429, headers: { 'content-type': 'text/xml' }, body } });
  expect(await bulk.run({ ...watching, ...onePass })).toMatchObject({ sent: 2 });
  expect(pauses).toEqual([1000]);
});

test('a row whose fault comes with HTTP status 429 and says nothing about the request is unknown', async () => {
  const { sandbox, bulk, pauses, watching } = await open(1);
  const body = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>s:Server</faultcode><faultstring>slower</faultstring></s:Fault></s:Body></s:Envelope>`;
  sandbox.reply('SendSimpleByApikey', { http: { status: 429, headers: { 'content-type': 'text/xml' }, body } });
  expect(await bulk.run({ ...watching, ...onePass })).toMatchObject({ unknown: 1, pending: 0, sent: 0 });
  expect(pauses).toEqual([]);
});

test('only HTTP status 429 for 30 minutes ends the run, and the rows stay pending', async () => {
  const { sandbox, bulk, watching } = await open(3);
  const reply = { http: { ...busy.http, headers: { 'retry-after': '4000' } } };
  sandbox.reply('SendSimpleByApikey', reply, { times: Number.POSITIVE_INFINITY });
  const stopped = 'the service has only responded with HTTP status 429 for 30 minutes';
  const settings = { baselinePagesize: 0, stopAfterFailures: 0 };
  expect(await bulk.run({ ...watching, ...settings })).toMatchObject({
    pending: 3,
    sent: 0,
    rejected: 0,
    unknown: 0,
    stopped,
  });
});

test('a run that is told to stop during a pause ends at once', async () => {
  const { sandbox, bulk } = await open(2);
  sandbox.reply('SendSimpleByApikey', { http: { ...busy.http, headers: { 'retry-after': '300' } } });
  const controller = new AbortController();
  const onPause = () => setImmediate(() => controller.abort());
  expect(await bulk.run({ ...onePass, onPause, signal: controller.signal })).toMatchObject({ pending: 2 });
});

test('a service that allows 40 requests in a second gets each row once, and refuses few requests', async () => {
  const rows = isFull ? 3000 : 90;
  const { sandbox } = await startService();
  const service = await startLimitedService(sandbox.baseUrl, 40);
  const { input } = csvOf(rows);
  const bulk = await openBulk({ client: clientOf(sandbox, service.baseUrl), input, fields });
  cleanUp(() => bulk.close());
  expect(await bulk.run()).toMatchObject({ sent: rows, pending: 0, rejected: 0, unknown: 0 });
  expect(damageOf(sandbox, rows)).toEqual({ twice: 0, lost: 0 });
  const { accepted, refused } = service.counts;
  expect(accepted).toBe(rows);
  // A short list shows only how the rate is found.
  if (isFull) expect(refused / (accepted + refused)).toBeLessThan(0.1);
});
