// Sends a message for each HTTP request. The status of a response says what its caller may do; after any other status: look first.
import { subscribe } from 'node:diagnostics_channel';
import { appendFile } from 'node:fs/promises';
import express from 'express';
import { bigintReplacer, type CallTrace, MessagingClient, MessagingError, RequestError } from 'messaging-soap';

subscribe('tracing:messaging-soap:call:asyncEnd', (trace) => {
  const { operation, outcome, status, error } = trace as CallTrace;
  console.log(JSON.stringify({ operation, outcome, status, error: error && String(error) }));
});
const client = MessagingClient.fromEnv({ defaults: { unixdate: 0n, msgmode: 1 } });
const app = express().use(express.json()).set('json replacer', bigintReplacer);
app.post('/messages', async ({ body }, response) => {
  const { sender, message, receptor } = body ?? {};
  const result = await client.sendSimple({ sender, message, receptor }).catch((error: unknown) => error);
  const outcome = result instanceof MessagingError ? result.outcome : undefined;
  if (result instanceof RequestError) response.status(400).json({ problems: result.problems });
  else if (outcome === 'not-sent') response.status(503).set('Retry-After', '5').json({ error: 'not sent' });
  else if (outcome === 'rejected') response.status(422).json({ error: String(result) });
  else if (Array.isArray(result) && result.length === receptor.length && result.every((id) => id > 0n))
    response.status(201).json({ ids: result });
  else {
    // No response, or no id for each receptor. Nothing here looks for the message: a person has to read this file.
    await appendFile('unknown.ndjson', `${JSON.stringify({ at: new Date(), body, result: String(result) })}\n`);
    response.status(202).json({ error: 'it may have been sent: look first' });
  }
});
const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log('ready'));
const stop = () => server.close() && client.close({ withinMs: 5_000 });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
