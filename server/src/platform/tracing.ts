import { randomHex } from '../lib/ids.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { type Span, type SpanPlace, spansBody } from './tracing-otlp.ts';

export interface Tracer {
  /** The span of a new request: below the caller's if it sent a valid `traceparent`. */
  begin(requestId: string, traceparent: string | null): SpanPlace;
  /** A span for work that a request causes; a new trace if the request is unknown (or evicted). */
  below(requestId: string): SpanPlace;
  /** Queues a finished span; never waits, never throws. */
  record(span: Span): void;
  /** Sends what is queued, once. */
  stop(): Promise<void>;
}

interface TracerDeps {
  /** Base address of an OTLP/HTTP collector. */
  endpoint: string;
  headers: Record<string, string>;
  version: string;
  log: Log;
  metrics: Metrics;
  send?: typeof fetch;
}

/** An unavailable collector must cost neither memory nor time: excess spans are dropped and counted. */
const mostWaiting = 4_096;
const batchSpans = 512;
const flushMs = 2_000;
const timeoutMs = 5_000;
/** Requests whose spans are remembered for their upstream calls; the oldest is evicted first. */
const mostRequests = 10_000;

/** W3C Trace Context §3.2; all zeroes are invalid. Later versions may append fields. */
const traceparentForm = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-|$)/;

/** Exports spans to an OpenTelemetry collector, as OTLP over HTTP in JSON: batched, bounded, dropped on failure. */
export function openTracer(deps: TracerDeps): Tracer {
  const waiting: Span[] = [];
  const places = new Map<string, SpanPlace>();
  const sent = deps.metrics.counter('svc_trace_spans_sent_total', 'Spans sent to the collector.');
  const dropped = deps.metrics.counter(
    'svc_trace_spans_dropped_total',
    'Spans lost because the collector was unreachable or slow.',
  );
  const send = deps.send ?? fetch;
  let sending: Promise<void> | null = null;
  let complained = false;

  const post = async (batch: Span[]): Promise<void> => {
    try {
      const answer = await send(`${deps.endpoint}/v1/traces`, {
        method: 'POST',
        headers: { ...deps.headers, 'content-type': 'application/json' },
        body: spansBody(batch, deps.version),
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'manual',
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the collector returned status ${answer.status}`);
      sent(batch.length);
      complained = false;
    } catch (error) {
      dropped(batch.length);
      // Once per outage, not per batch.
      if (!complained) deps.log.warn({ error }, 'traces could not be sent');
      complained = true;
    }
  };
  const flush = (): void => {
    if (sending || waiting.length === 0) return;
    sending = post(waiting.splice(0, batchSpans)).finally(() => {
      sending = null;
      if (waiting.length >= batchSpans) flush();
    });
  };
  const timer = setInterval(flush, flushMs);
  timer.unref?.();

  return {
    begin: (requestId, traceparent) => {
      const parent = traceparentForm.exec(traceparent?.trim() ?? '');
      const place: SpanPlace = {
        traceId: parent?.[1] ?? randomHex(32),
        spanId: randomHex(16),
        ...(parent && { parentId: parent[2]! }),
      };
      places.set(requestId, place);
      if (places.size > mostRequests) places.delete(places.keys().next().value!);
      return place;
    },
    below: (requestId) => {
      const parent = places.get(requestId);
      return {
        traceId: parent?.traceId ?? randomHex(32),
        spanId: randomHex(16),
        ...(parent && { parentId: parent.spanId }),
      };
    },
    record: (span) => {
      if (waiting.length >= mostWaiting) dropped(1);
      else waiting.push(span);
      if (waiting.length >= batchSpans) flush();
    },
    stop: async () => {
      clearInterval(timer);
      await sending;
      flush();
      await sending;
    },
  };
}
