// Sends a list from a program. Kill it at any moment and run it again: no row is sent twice, none is forgotten.
import { writeFile } from 'node:fs/promises';
import { MessagingClient } from 'messaging-soap';
import { openBulk } from 'messaging-soap/bulk';

await writeFile('customers.csv', 'receptor,name\n09120000001,Ali\n09120000002,Sara\n', { flag: 'w' });
const client = MessagingClient.fromEnv();
const fields = { sender: '3000', message: 'Hello {{name}}', unixdate: 0n, msgmode: 1 };
const bulk = await openBulk({ client, input: 'customers.csv', operation: 'sendSimple', fields });
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
await bulk.run({ rowsPerSecond: 50, signal: stop.signal });
for await (const { row, receptor, state, messageid, reason } of bulk.results()) {
  console.log([row, receptor, state, messageid, reason].join('\t'));
}
await bulk.close();
await client.close();
