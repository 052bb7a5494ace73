// Answers each received message at most once, also after a crash or a lost response. Ctrl-C ends it.
import { MessagingClient } from 'messaging-soap';
import { openInbox } from 'messaging-soap/inbox';

const client = MessagingClient.fromEnv({ defaults: { unixdate: 0n, msgmode: 1 } });
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

// The contract does not define the values of isread. In the sandbox, 0 lists unread messages and 1 lists read ones.
const inbox = await openInbox({
  client,
  lineNumbers: ['3000'],
  journal: 'inbox.journal',
  unread: 0,
  read: 1,
  everyMs: 500,
});
await inbox.run(
  async ({ messageid, sender, message }, { lineNumber, redelivered }) => {
    // An earlier call failed, or the process died in it: nobody knows whether the answer was sent.
    if (redelivered) return console.error(`message ${messageid} may have been answered: look`);
    const answer = { sender: lineNumber, message: `We have read: ${message}`, receptor: [sender ?? ''] };
    const [id] = await client.sendSimple(answer);
    if (!id) throw new Error('the response has no id of the answer'); // the next call says: look
    console.log(`answered ${messageid}`);
  },
  { signal: stop.signal },
);
await inbox.close();
await client.close();
