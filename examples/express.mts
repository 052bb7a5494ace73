// Sends a message for each HTTP request, with Express. answer.mts belongs to it.
import express from 'express';
import { answer, client } from './answer.mts';

const app = express().use(express.json());
app.post('/messages', async (request, response) => {
  const { status, headers = {}, json } = await answer(request.body);
  response.status(status).set(headers).json(json);
});
const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log('ready'));
const stop = () => server.close() && client.close({ withinMs: 5_000 });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
