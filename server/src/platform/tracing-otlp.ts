/** OTLP's numbers of the span kinds in use. */
const kinds = { server: 2, client: 3 } as const;
const errorStatus = 2;

/** The position of a span in a trace. */
export interface SpanPlace {
  traceId: string;
  spanId: string;
  parentId?: string;
}

export interface Span extends SpanPlace {
  name: string;
  kind: keyof typeof kinds;
  startMs: number;
  endMs: number;
  /** Names follow OpenTelemetry's semantic conventions where they exist. */
  attributes: Record<string, string | number | undefined>;
  failed: boolean;
}

/** An ExportTraceServiceRequest in OTLP's JSON mapping: hexadecimal ids, 64-bit numbers as strings. */
export function spansBody(spans: Span[], version: string): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': 'svc', 'service.version': version }) },
        scopeSpans: [{ scope: { name: 'svc', version }, spans: spans.map(spanOf) }],
      },
    ],
  });
}

const spanOf = (span: Span) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentId && { parentSpanId: span.parentId }),
  name: span.name,
  kind: kinds[span.kind],
  startTimeUnixNano: nanos(span.startMs),
  endTimeUnixNano: nanos(span.endMs),
  attributes: attributesOf(span.attributes),
  status: span.failed ? { code: errorStatus } : {},
});

/** Nanoseconds exceed the exact range of a double. */
const nanos = (ms: number): string => `${BigInt(Math.round(ms * 1000)) * 1000n}`;

const attributesOf = (attributes: Span['attributes']) =>
  Object.entries(attributes)
    .filter((entry): entry is [string, string | number] => entry[1] !== undefined)
    .map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
    }));
