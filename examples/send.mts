// Sends a message. The exit code says what a script may do: 2 correct it, 3 it was refused, 5 send it again, 6 look first.
import { ConfigurationError, MessagingClient, MessagingError, RequestError } from 'messaging-soap';

const [sender = '3000', receptor = '09120000001', message = 'سلام'] = process.argv.slice(2);
try {
  const client = MessagingClient.fromEnv({ defaults: { unixdate: 0n, msgmode: 1 } });
  const ids = await client.sendSimple({ sender, message, receptor: [receptor] }).finally(() => client.close());
  console.log(ids.join('\n'));
  // The contract says nothing of the ids of a success: one that has none may be a refusal.
  if (ids.length !== 1 || ids.some((id) => id <= 0n)) {
    console.error('the response has no id of the message: look in the list of sent messages');
    process.exitCode = 6;
  }
} catch (error) {
  if (!(error instanceof MessagingError)) throw error;
  console.error(error.message);
  const isWrong = error instanceof RequestError || error instanceof ConfigurationError;
  // After unknown, look in the list of sent messages before you send it again.
  process.exitCode = isWrong ? 2 : { 'not-sent': 5, rejected: 3, unknown: 6 }[error.outcome];
}
