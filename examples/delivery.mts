// Sends a message and follows it until its status is final.
import { MessagingClient, TrackingTimeout } from 'messaging-soap';

const client = MessagingClient.fromEnv({
  defaults: { unixdate: 0n, msgmode: 1 },
  // The contract does not define statuses. These are the final ones of the sandbox: ask your provider for its own.
  finalStatuses: [6, 10, 11, 13, 14],
});
const ids = await client.sendSimple({ sender: '3000', message: 'your parcel is here', receptor: ['09120000001'] });
if (!ids[0]) throw new Error('the response has no id of the message: look in the list of sent messages');
try {
  for await (const { messageid, status, final } of client.track(ids, { everyMs: 500, withinMs: 30_000 })) {
    console.log(`${messageid}: status ${status}${final ? ', final' : ''}`);
  }
} catch (error) {
  if (!(error instanceof TrackingTimeout)) throw error;
  console.error(`no final status yet: ${error.pending.join(', ')}`);
  process.exitCode = 8;
} finally {
  await client.close();
}
