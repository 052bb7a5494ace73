// Writes the messages that were sent in a period as lines of JSON, in constant memory: node stream.mts START END
import { once } from 'node:events';
import { bigintReplacer, MessagingClient } from 'messaging-soap';

const client = MessagingClient.fromEnv();
// The contract does not define the unit of dates: ask your provider. The sandbox counts seconds.
const [startUnixdate, endUnixdate] = [process.argv[2] ?? '0', process.argv[3] ?? '4102444800'].map(BigInt);
let count = 0;
for await (const record of client.selectOutboxStream({ startUnixdate, endUnixdate })) {
  count += 1;
  const more = process.stdout.write(`${JSON.stringify(record, bigintReplacer)}\n`);
  // The connection pauses while the reader of the output is slow.
  if (!more) await once(process.stdout, 'drain');
}
console.error(`${count} messages`);
await client.close();
