import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { CallTrace } from '../../src';
import { cleanUp } from '../support/clean-up';
import { clientOf } from '../support/client';
import { SAMPLES } from '../support/contract';
import { credit, responseOf } from '../support/envelopes';
import { httpResponse } from '../support/http-response';
import { collect, failureOf } from '../support/outcomes';
import { RawServer } from '../support/raw-server';

const exporter = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('test');

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const spans = new WeakMap<object, Span>();
  // As examples/opentelemetry.mts does it.
  const onStart = (message: unknown) => {
    const call = message as CallTrace;
    const attributes = { 'rpc.method': call.operation, 'url.full': call.url };
    spans.set(call, tracer.startSpan(call.operation, { kind: SpanKind.CLIENT, attributes }));
  };
  const onEnd = (message: unknown) => {
    const call = message as CallTrace;
    const span = spans.get(call) as Span;
    if (call.httpStatus !== undefined) span.setAttribute('http.response.status_code', call.httpStatus);
    if (call.outcome !== undefined) span.setAttribute('messaging_soap.outcome', call.outcome);
    if (call.error instanceof Error) {
      span.recordException(call.error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: call.error.message });
    }
    span.end();
  };
  subscribe('tracing:messaging-soap:call:start', onStart);
  subscribe('tracing:messaging-soap:call:asyncEnd', onEnd);
  cleanUp(() => {
    unsubscribe('tracing:messaging-soap:call:start', onStart);
    unsubscribe('tracing:messaging-soap:call:asyncEnd', onEnd);
    context.disable();
  });
});
beforeEach(() => exporter.reset());

/** Runs a part of a program in a span of its own. */
function inSpan<T>(name: string, run: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(name, async (span) => {
    try {
      return await run();
    } finally {
      span.end();
    }
  });
}

test('the tracing channel feeds OpenTelemetry: one span a call, with its caller as the parent', async () => {
  const service = await RawServer.start(({ socket, body }) => {
    const response = body.includes('<RemainCreditByApiKey ')
      ? credit(5)
      : responseOf('SendSimpleByApikey', '', { status: 418 });
    socket.write(httpResponse(response));
  });
  const client = clientOf(service);
  await Promise.all([
    inSpan('first', async () => {
      await client.remainCredit();
      await client.remainCredit();
    }),
    inSpan('second', async () => {
      // Another turn of the event loop, in which the other caller's context is active too.
      await new Promise((resolve) => setImmediate(resolve));
      await failureOf(client.sendSimple(SAMPLES.SendSimpleByApikey));
    }),
    inSpan('third', () => failureOf(collect(client.selectLatestStream({ pagesize: 1 })))),
  ]);
  const spans = exporter.getFinishedSpans();
  const childrenOf = (name: string) => {
    const parent = spans.find((span) => span.name === name);
    return spans.filter((span) => span.parentSpanContext?.spanId === parent?.spanContext().spanId);
  };
  expect(spans).toHaveLength(7);
  expect(childrenOf('first').map(({ name }) => name)).toEqual(['RemainCreditByApiKey', 'RemainCreditByApiKey']);
  for (const span of childrenOf('first')) {
    expect(span.kind).toBe(SpanKind.CLIENT);
    expect(span.attributes).toEqual({
      'rpc.method': 'RemainCreditByApiKey',
      'url.full': `${service.baseUrl}/soap/v1.asmx`,
      'http.response.status_code': 200,
      'messaging_soap.outcome': 'done',
    });
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
  }
  const [refused] = childrenOf('second');
  expect(refused).toMatchObject({
    name: 'SendSimpleByApikey',
    status: { code: SpanStatusCode.ERROR, message: expect.stringContaining('status 418') },
    attributes: { 'messaging_soap.outcome': 'rejected' },
    events: [{ name: 'exception' }],
  });
  expect(childrenOf('third').map(({ name }) => name)).toEqual(['SelectlatestByApikey']);
});

test('a call outside of any span is a span without a parent', async () => {
  const service = await RawServer.start(({ socket }) => socket.write(httpResponse(credit(5))));
  await clientOf(service).remainCredit();
  const [span] = exporter.getFinishedSpans();
  expect(span).toMatchObject({ name: 'RemainCreditByApiKey', parentSpanContext: undefined });
  expect(trace.getActiveSpan()).toBeUndefined();
});
