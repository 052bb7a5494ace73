import { MessagingClient } from '../../../src';

// A program of a user: all settings come from variables.

async function main(): Promise<void> {
  const client = MessagingClient.fromEnv();
  // The defaults of the variables give the other fields.
  const fields = { sender: '3000', message: 'from a program', receptor: ['09120000002'] };
  console.log(String(await client.sendSimple(fields as never)));
  await client.close();
}

main();
