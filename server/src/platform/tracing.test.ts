import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openTestApp, type TestApp } from '../app.fixture.ts';
import { until } from '../lib/until.fixture.ts';
import { openLog } from './log.ts';
import { Metrics } from './metrics.ts';
import { openTracer } from './tracing.ts';
import type { Span } from './tracing-otlp.ts';

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  status: { code?: number };
}

/** A collector that keeps what it is sent. */
function collector() {
  const spans: SentSpan[] = [];
  const requests: Request[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      requests.push(request);
      const body = (await request.json()) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] };
      for (const { scopeSpans } of body.resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
      return Response.json({});
    },
  });
  return { spans, requests, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

let received: ReturnType<typeof collector>;
let service: TestApp;

beforeAll(async () => {
  received = collector();
  service = await openTestApp({
    env: {
      DEMO_PROVIDER: 'on',
      OTEL_EXPORTER_OTLP_ENDPOINT: received.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc,x-team=one',
    },
  });
});
afterAll(async () => {
  await service.close();
  received.stop();
});

test('a request is a child span of its caller, and its upstream call a child of the request', async () => {
  const member = await service.user();
  const key = await member.key();
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const answer = await service.call('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    body: { model: 'demo/chat', messages: [{ role: 'user', content: 'hi' }] },
  });
  const requestId = answer.headers.get('x-request-id')!;
  await answer.text();
  const ofTrace = () => received.spans.filter((span) => span.traceId === traceId);
  await until('both spans arrived', () => ofTrace().length >= 2);

  const request = ofTrace().find((span) => span.kind === 2)!;
  const upstream = ofTrace().find((span) => span.kind === 3)!;
  expect(request).toMatchObject({ name: 'POST /v1/chat/completions', parentSpanId: '00f067aa0ba902b7' });
  expect(upstream.parentSpanId).toBe(request.spanId);
  expect(Number(request.endTimeUnixNano)).toBeGreaterThanOrEqual(Number(request.startTimeUnixNano));
  const of = (span: SentSpan, name: string) => {
    const value = span.attributes.find(({ key }) => key === name)?.value;
    return value?.stringValue ?? value?.intValue;
  };
  expect(of(request, 'http.response.status_code')).toBe('200');
  expect(of(request, 'svc.request_id')).toBe(requestId);
  expect(of(upstream, 'gen_ai.request.model')).toBe('demo/chat');
  expect(received.requests[0]!.url).toEndWith('/v1/traces');
  expect(received.requests[0]!.headers.get('authorization')).toBe('Bearer abc');
  expect(JSON.stringify(received.spans)).not.toContain(key);
});

test('a malformed traceparent starts a new trace', async () => {
  const tracer = openTracer({ endpoint: 'http://127.0.0.1:9', headers: {}, version: '0', ...quiet() });
  for (const header of [
    '',
    'nonsense',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  ]) {
    const place = tracer.begin('req_1', header);
    expect(place.parentId).toBeUndefined();
    expect(place.traceId).toMatch(/^[0-9a-f]{32}$/);
  }
  await tracer.stop();
});

test('an unreachable collector loses spans, without using memory or time', async () => {
  const { log, metrics } = quiet();
  const tracer = openTracer({
    endpoint: 'http://collector.invalid',
    headers: {},
    version: '0',
    log,
    metrics,
    // Never answers, like a host that drops packets.
    send: (() => new Promise(() => {})) as unknown as typeof fetch,
  });
  const span: Span = {
    ...tracer.begin('req_1', null),
    name: 'x',
    kind: 'server',
    startMs: 1,
    endMs: 2,
    attributes: {},
    failed: false,
  };
  for (let i = 0; i < 10_000; i += 1) tracer.record(span);
  const dropped = /svc_trace_spans_dropped_total (\d+)/.exec(await metrics.render())![1];
  expect(Number(dropped)).toBeGreaterThan(5_000);
});

test('without an endpoint there is no tracer', async () => {
  const plain = await openTestApp();
  expect(await plain.platform.metrics.render()).not.toContain('svc_trace_spans');
  await plain.close();
});

function quiet() {
  return { log: openLog('silent'), metrics: new Metrics() };
}
