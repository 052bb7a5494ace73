// Tests an order that sends a message, with node:test. In Vitest only the import of test differs.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MessagingClient } from 'messaging-soap';
import { startSandbox } from 'messaging-soap/sandbox';

const sandbox = await startSandbox();
const client = new MessagingClient({ ...sandbox.clientOptions, defaults: { unixdate: 0n, msgmode: 1 } });
const order = (receptor: string) => client.sendSimple({ sender: '3000', message: 'your order', receptor: [receptor] });

test('an order sends one message', async () => {
  const [id] = await order('09120000001');
  assert.equal(sandbox.messages.length, 1);
  assert.equal(sandbox.messages[0]?.messageid, id);
});

test('a response that is lost after the message was stored is unknown, and nothing is sent again', async () => {
  sandbox.reset();
  sandbox.reply('SendSimpleByApikey', { drop: 'after' });
  await assert.rejects(order('09120000001'), { outcome: 'unknown' });
  assert.equal(sandbox.messages.length, 1);
});

after(async () => {
  await client.close();
  await sandbox.close();
});
