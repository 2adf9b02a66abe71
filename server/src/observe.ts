import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from './config.ts';
import type { Metrics } from './platform/metrics.ts';
import type { Platform } from './platform/open.ts';
import { openTracer, type Tracer } from './platform/tracing.ts';
import type { Candidate } from './routing/candidate.ts';
import type { Report } from './routing/plan.ts';

/** Observability of upstream calls: metrics always, spans if tracing is on. */
export interface Observer {
  tracer?: Tracer;
  onReport(requestId: string, candidate: Candidate, report: Report): void;
}

export function openObserver({ log, metrics }: Pick<Platform, 'log' | 'metrics'>, config: Config): Observer {
  const { otelEndpoint: endpoint, otelHeaders: headers } = config;
  const { version } = packageJson;
  metrics.readings('svc_build_info', 'Running version; the value is always 1.', 'gauge', () => [
    { labels: { version, runtime: `bun ${Bun.version}` }, value: 1 },
  ]);
  const tracer = endpoint ? openTracer({ endpoint, headers, version, log, metrics }) : undefined;
  const count = upstreamCounters(metrics);
  return {
    ...(tracer && { tracer }),
    onReport: (requestId, candidate, report) => {
      count(candidate.channel.provider, report);
      if (tracer) recordAttempt(tracer, requestId, candidate, report);
    },
  };
}

/** Each provider's counters are looked up once, since this runs for every request. */
function upstreamCounters(metrics: Metrics): (provider: string, report: Report) => void {
  const providers = new Map<string, ReturnType<typeof countersOf>>();
  return (provider, report) => {
    let counters = providers.get(provider);
    if (!counters) {
      counters = countersOf(metrics, provider);
      providers.set(provider, counters);
    }
    counters.outcome(report.outcome === 'success' ? 'success' : (report.cause ?? report.outcome));
    if (report.outcome !== 'success') return;
    counters.seconds(report.latencyMs / 1000);
    if (report.ttftMs !== undefined) counters.firstToken(report.ttftMs / 1000);
    counters.prompt(report.promptTokens);
    counters.completion(report.completionTokens);
  };
}

function countersOf(metrics: Metrics, provider: string) {
  const outcomes = new Map<string, (by?: number) => void>();
  const tokens = (direction: string) =>
    metrics.counter('svc_tokens_total', 'Tokens of answered calls.', { provider, direction });
  return {
    outcome: (outcome: string) => {
      let counter = outcomes.get(outcome);
      if (!counter) {
        const help = 'Upstream calls by outcome.';
        counter = metrics.counter('svc_upstream_calls_total', help, { provider, outcome });
        outcomes.set(outcome, counter);
      }
      counter();
    },
    seconds: metrics.histogram('svc_upstream_seconds', 'Time to the end of an upstream response.', { provider }),
    firstToken: metrics.histogram('svc_upstream_first_token_seconds', 'Time to the first token of a stream.', {
      provider,
    }),
    prompt: tokens('prompt'),
    completion: tokens('completion'),
  };
}

function recordAttempt(tracer: Tracer, requestId: string, candidate: Candidate, report: Report): void {
  const endMs = Date.now();
  tracer.record({
    ...tracer.below(requestId),
    name: `upstream ${candidate.channel.provider}`,
    kind: 'client',
    startMs: endMs - report.latencyMs,
    endMs,
    attributes: {
      'gen_ai.provider.name': candidate.channel.provider,
      'gen_ai.request.model': candidate.modelName,
      'gen_ai.usage.input_tokens': report.promptTokens,
      'gen_ai.usage.output_tokens': report.completionTokens,
      'http.response.status_code': report.status,
      'svc.channel_id': candidate.channel.id,
      'svc.outcome': report.cause ?? report.outcome,
      'svc.request_id': requestId,
    },
    failed: report.outcome === 'failure',
  });
}
