// Makes a span for each call, below the span that is active in the caller. Load it next to the set-up of your SDK.
import { subscribe } from 'node:diagnostics_channel';
import { type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { type CallTrace, MessagingClient } from 'messaging-soap';

const tracer = trace.getTracer('messaging-soap');
const spans = new WeakMap<object, Span>();
subscribe('tracing:messaging-soap:call:start', (message) => {
  const { operation, url } = message as CallTrace;
  const attributes = { 'rpc.system': 'soap', 'rpc.method': operation, 'url.full': url };
  spans.set(message as object, tracer.startSpan(operation, { kind: SpanKind.CLIENT, attributes }));
});
subscribe('tracing:messaging-soap:call:asyncEnd', (message) => {
  const { httpStatus, status, outcome, error } = message as CallTrace;
  const span = spans.get(message as object);
  if (httpStatus !== undefined) span?.setAttribute('http.response.status_code', httpStatus);
  if (status !== undefined) span?.setAttribute('messaging_soap.status', status);
  if (outcome !== undefined) span?.setAttribute('messaging_soap.outcome', outcome);
  if (error instanceof Error) {
    span?.recordException(error);
    span?.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
  }
  span?.end();
});

const client = MessagingClient.fromEnv();
console.log(await client.remainCredit());
await client.close();
