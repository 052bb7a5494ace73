// Sends a message. The exit code says whether a script may send it again: 5 yes, 6 look first.
import { MessagingClient, MessagingError } from 'messaging-soap';

const client = MessagingClient.fromEnv({ defaults: { unixdate: 0n, msgmode: 1 } });
const [sender = '3000', receptor = '09120000001', message = 'سلام'] = process.argv.slice(2);
try {
  const ids = await client.sendSimple({ sender, message, receptor: [receptor] });
  console.log(ids.join('\n'));
} catch (error) {
  if (!(error instanceof MessagingError)) throw error;
  console.error(error.message);
  switch (error.outcome) {
    case 'not-sent':
      process.exitCode = 5;
      break;
    case 'rejected':
      process.exitCode = 3;
      break;
    case 'unknown':
      // It may have been sent: look for it in the list of sent messages before you send it again.
      process.exitCode = 6;
  }
} finally {
  await client.close();
}
