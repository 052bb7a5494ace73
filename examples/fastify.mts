// Sends a message for each HTTP request, with Fastify. answer.mts belongs to it.
import fastify from 'fastify';
import { answer, client } from './answer.mts';

// An idle connection keeps the program alive for this time after SIGTERM. Fastify's default is 72 seconds.
const app = fastify({ keepAliveTimeout: 5_000 });
app.post('/messages', async (request, reply) => {
  const { status, headers = {}, json } = await answer(request.body);
  return reply.status(status).headers(headers).send(json);
});
await app.listen({ port: Number(process.env.PORT ?? 3000) });
console.log('ready');
const stop = () => Promise.all([app.close(), client.close({ withinMs: 5_000 })]);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);
