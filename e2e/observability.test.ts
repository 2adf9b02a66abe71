/** Dashboard, alerts and traces, checked with PromQL's own grammar and OpenTelemetry's own serializer. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { parser } from '@prometheus-io/lezer-promql';
import { type Service, startService, until } from './service.ts';

const fromRoot = (path: string): string => readFileSync(join(import.meta.dir, '..', path), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: OTLP's JSON is read field by field
type Loose = any;

const bodies: Loose[] = [];
const collector = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    bodies.push(await request.json());
    return Response.json({});
  },
});
const spansOf = (body: Loose): Loose[] =>
  body.resourceSpans.flatMap(({ scopeSpans }: Loose) => scopeSpans.flatMap(({ spans }: Loose) => spans));

let service: Service;
/** Labels of every series that the running service has, by name. */
const series = new Map<string, Set<string>>();
beforeAll(async () => {
  const env = { DEMO_PROVIDER: 'on', OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` };
  service = await startService({ env });
  const chat = { model: 'demo/chat', stream: true, messages: [{ role: 'user', content: 'hi' }] };
  const traceparent = `00-${'4b'.repeat(16)}-${'0f'.repeat(8)}-01`;
  await (await service.post('/v1/chat/completions', chat, { headers: { traceparent } })).text();
  // Nothing listens on that port, so the call fails.
  const { modelId } = await service.serve({ kind: 'openai', url: 'http://127.0.0.1:9' });
  await (await service.post('/v1/chat/completions', { ...chat, model: modelId })).text();
  await until('the failed span arrives', () => bodies.flatMap(spansOf).some(({ status }) => status.code === 2), 60_000);
  // Queues are seen while something waits in them.
  await (await service.post('/v1/videos', { model: 'demo/video', prompt: 'waves' })).text();
  const text = await (await fetch(`${service.url}/metrics`)).text();
  for (const [, name, labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = series.get(name!) ?? series.set(name!, new Set()).get(name!)!;
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!);
  }
}, 300_000);
afterAll(async () => {
  await service.stop();
  collector.stop(true);
});

interface Query {
  /** Where the grammar does not fit. */
  faults: string[];
  /** Names of series, with the labels asked of them or kept of what they give. */
  selected: { name: string; labels: string[] }[];
}

function read(expression: string): Query {
  // Grafana puts these in before it asks.
  const text = expression.replaceAll('$__rate_interval', '5m');
  const query: Query = { faults: [], selected: [] };
  let kept: string[] = [];
  parser.parse(text).iterate({
    enter: ({ name, from, to, type }) => {
      const piece = text.slice(from, to);
      if (type.isError) query.faults.push(`${from}: ${text.slice(from, from + 20)}`);
      if (name === 'VectorSelector') query.selected.push({ name: '', labels: kept });
      if (name === 'Identifier') query.selected.at(-1)!.name = piece;
      if (name === 'GroupingLabels') kept = piece.match(/\w+/g) ?? [];
      if (name === 'UnquotedLabelMatcher')
        query.selected.at(-1)!.labels = [...query.selected.at(-1)!.labels, piece.match(/\w+/)![0]];
    },
    leave: ({ name }) => {
      if (name === 'AggregateExpr') kept = [];
    },
  });
  return query;
}

interface Panel {
  title: string;
  targets: { expr: string; legendFormat?: string }[];
}
const dashboard = JSON.parse(fromRoot('deploy/grafana-dashboard.json')) as { panels: Panel[] };
const alerts = /```promql\n(.*?)```/s.exec(fromRoot('docs/metrics.md'))![1]!.trim().split('\n');
const asked = [
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...alerts.map((line) => ['an alert', line] as const),
];
/** Prometheus adds them to what it scrapes. */
const ofPrometheus = { labels: ['job', 'instance'], series: ['up'] };

describe('expressions of the dashboard and the alerts', () => {
  test('broken expressions are detected', () => {
    expect(read('sum(rate(a[5m])').faults).not.toEqual([]);
    expect(read('sum by (le) (rate(a{b="c"}[5m]))')).toEqual({
      faults: [],
      selected: [{ name: 'a', labels: ['le', 'b'] }],
    });
    expect(asked.length).toBeGreaterThan(20);
  });

  test.each(asked)('%s uses existing series and labels: %s', (_, expression) => {
    const { faults, selected } = read(expression);
    expect(faults).toEqual([]);
    expect(selected.length).toBeGreaterThan(0);
    for (const { name, labels } of selected) {
      if (ofPrometheus.series.includes(name)) continue;
      expect([...series.keys()]).toContain(name);
      const unknown = labels.filter((label) => !series.get(name)!.has(label) && !ofPrometheus.labels.includes(label));
      expect({ name, unknown }).toEqual({ name, unknown: [] });
    }
  });

  test.each(dashboard.panels.map((panel) => [panel.title, panel] as const))(
    '%s: legends use existing labels',
    (_, panel) => {
      for (const { expr, legendFormat = '' } of panel.targets) {
        const labels = read(expr).selected.flatMap(({ name }) => [...(series.get(name) ?? [])]);
        for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          expect([...labels, ...ofPrometheus.labels]).toContain(label!);
      }
    },
  );
});

/** The span in the form that OpenTelemetry's serializer takes. */
function asSdkSpan(span: Loose, resource: Loose, scope: Loose): Loose {
  const values = (list: Loose[]) =>
    Object.fromEntries(
      list.map(({ key, value }) => [key, value.intValue === undefined ? value.stringValue : Number(value.intValue)]),
    );
  const time = (nanos: string) => [Number(BigInt(nanos) / 1_000_000_000n), Number(BigInt(nanos) % 1_000_000_000n)];
  return {
    name: span.name,
    // The API counts from 0, the wire from 1.
    kind: span.kind - 1,
    spanContext: () => ({ traceId: span.traceId, spanId: span.spanId, traceFlags: 1 }),
    ...(span.parentSpanId && {
      parentSpanContext: { traceId: span.traceId, spanId: span.parentSpanId, traceFlags: 1 },
    }),
    ...{ startTime: time(span.startTimeUnixNano), endTime: time(span.endTimeUnixNano), ended: true },
    ...{ status: { code: span.status.code ?? 0 }, attributes: values(span.attributes) },
    ...{ links: [], events: [], droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
    resource: { attributes: values(resource.attributes) },
    instrumentationScope: scope,
  };
}

/** Fields at their defaults may be left out, and 64-bit numbers be text or not; W3C's flags are optional. */
function essence(value: Loose): Loose {
  if (Array.isArray(value)) return value.map(essence);
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value)
    .filter(([key]) => key !== 'flags')
    .map(([key, inner]) => [key, key === 'intValue' ? String(inner) : essence(inner)] as const)
    .filter(
      ([, inner]) =>
        inner !== 0 && inner !== undefined && !(typeof inner === 'object' && Object.keys(inner).length === 0),
    );
  return Object.fromEntries(fields);
}

test('spans are sent exactly as OpenTelemetry’s own exporter sends them', () => {
  const sent = bodies.flatMap(spansOf);
  expect(sent.map(({ kind }) => kind)).toEqual(expect.arrayContaining([2, 3]));
  expect(sent.some(({ parentSpanId }) => parentSpanId === '0f'.repeat(8))).toBe(true);
  for (const body of bodies)
    for (const { resource, scopeSpans } of body.resourceSpans)
      for (const { scope, spans } of scopeSpans)
        for (const span of spans) {
          const bytes = JsonTraceSerializer.serializeRequest([asSdkSpan(span, resource, scope)])!;
          const theirs = JSON.parse(new TextDecoder().decode(bytes));
          const ours = { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [span] }] }] };
          expect(essence(ours)).toEqual(essence(theirs));
        }
});
