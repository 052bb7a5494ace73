// One client for a process that serves HTTP. The status of a response says whether the caller may send again.
import express from 'express';
import { bigintReplacer, MessagingClient, MessagingError } from 'messaging-soap';

const client = MessagingClient.fromEnv({ defaults: { unixdate: 0n, msgmode: 1 } });
const app = express().use(express.json()).set('json replacer', bigintReplacer);

app.post('/messages', async (request, response) => {
  try {
    const { sender, message, receptor } = request.body;
    response.status(201).json({ ids: await client.sendSimple({ sender, message, receptor }) });
  } catch (error) {
    if (!(error instanceof MessagingError)) throw error;
    if (error.outcome === 'not-sent') response.status(503).set('Retry-After', '5').json({ error: 'not sent' });
    else if (error.outcome === 'rejected') response.status(422).json({ error: error.message });
    // It may have been sent, so a second request could send it twice.
    else response.status(202).json({ error: 'being checked' });
  }
});

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log('ready'));
process.once('SIGTERM', () => {
  server.close(() => client.close({ withinMs: 5_000 }));
});
