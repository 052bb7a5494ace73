// Sends a message for express.mts and fastify.mts. The status of the response says what the caller may do.
import { subscribe } from 'node:diagnostics_channel';
import { appendFile } from 'node:fs/promises';
import { type CallTrace, HttpError, MessagingClient, MessagingError, RequestError, StatusError } from 'messaging-soap';

subscribe('tracing:messaging-soap:call:asyncEnd', (trace) => {
  const { operation, outcome, status, error } = trace as CallTrace;
  console.log(JSON.stringify({ operation, outcome, status, error: error && String(error) }));
});
export const client = MessagingClient.fromEnv({ defaults: { unixdate: 0n, msgmode: 1 } });

type Answer = { status: number; headers?: Record<string, string>; json: object };
export async function answer(body: unknown): Promise<Answer> {
  // The client checks these fields. Fastify also takes a body of null.
  const { sender, message, receptor } = (body ?? {}) as { sender: string; message: string; receptor: string[] };
  const result = await client.sendSimple({ sender, message, receptor }).catch((error: unknown) => error);
  if (result instanceof RequestError) return { status: 400, json: { problems: result.problems } };
  const outcome = result instanceof MessagingError ? result.outcome : undefined;
  if (outcome === 'not-sent') return { status: 503, headers: { 'Retry-After': '5' }, json: { error: 'not sent' } };
  const after = result instanceof HttpError && result.httpStatus === 429 && String(result.headers['retry-after'] ?? 5);
  if (after) return { status: 503, headers: { 'Retry-After': after }, json: { error: 'not sent' } };
  // A refusal with ids may have been a success, whose status is missing in MESSAGING_SUCCESS_STATUSES.
  const hasIds = result instanceof StatusError && Array.isArray(result.result) && result.result.length > 0;
  if (outcome === 'rejected' && !hasIds) return { status: 422, json: { error: String(result) } };
  if (Array.isArray(result) && result.length === receptor.length && result.every((id) => id > 0n))
    return { status: 201, json: { ids: result.map(String) } };
  // No response, or no id for each receptor. Nothing here looks for the message: a person has to read this file.
  await appendFile('unknown.ndjson', `${JSON.stringify({ at: new Date(), body, result: String(result) })}\n`);
  return { status: 202, json: { error: 'it may have been sent: look first' } };
}
