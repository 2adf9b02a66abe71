import { z } from 'zod';
import { listed } from '../../platform/http/answers.ts';
import { offsetOf, pageFields } from '../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { type Candidate, candidateKey } from '../candidate.ts';
import type { CircuitState } from '../circuit.ts';
import { circuitKeys, circuitOf } from '../keyed-candidates.ts';
import type { RoutingParts } from '../routing.ts';
import { unmeasured } from '../score.ts';
import type { CandidateId } from '../store/metrics.ts';
import { routing } from './shapes.ts';

const ms = z.int().nullable();
const shape = z
  .object({
    provider: z.string(),
    model_id: z.string(),
    channel_id: z.int(),
    total_requests: z.int(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    /** Successes and failures of the last hour; 0: nothing was measured, rate and latency are defaults. */
    requests_last_hour: z.int(),
    success_rate_last_hour: z.number(),
    avg_latency_ms: z.int(),
    p50_latency_ms: ms,
    p95_latency_ms: ms,
    p99_latency_ms: ms,
    p50_ttft_ms: ms,
    p95_ttft_ms: ms,
    p99_ttft_ms: ms,
    tokens_per_second: z.number().nullable(),
    quality_score: z.number(),
    circuit_state: z.enum(['closed', 'open', 'half_open']),
    circuit_changed_at: z.int().nullable(),
  })
  .meta({ id: 'RoutingMetrics' });
type Item = z.infer<typeof shape>;

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

function itemOf(parts: RoutingParts, id: CandidateId, startQuality: number, candidate?: Candidate): Item {
  const key = candidateKey(id.provider, id.modelId, id.channelId);
  const known = parts.metrics.snapshot(key);
  const stateOf = (name: string) => parts.breaker.state(name);
  const changedAtMs = Math.max(
    ...(candidate ? circuitKeys(candidate) : [key]).map((name) => parts.breaker.changedAtMs(name)),
  );
  return {
    provider: id.provider,
    model_id: id.modelId,
    channel_id: id.channelId,
    total_requests: known?.totalRequests ?? 0,
    prompt_tokens: known?.promptTokens ?? 0,
    completion_tokens: known?.completionTokens ?? 0,
    requests_last_hour: known?.samples ?? 0,
    success_rate_last_hour: rounded(known?.successRate ?? unmeasured.successRate),
    avg_latency_ms: Math.round(known?.latencyMs ?? unmeasured.latencyMs),
    p50_latency_ms: known?.hour.p50Ms ?? null,
    p95_latency_ms: known?.hour.p95Ms ?? null,
    p99_latency_ms: known?.hour.p99Ms ?? null,
    p50_ttft_ms: known?.hour.ttftP50Ms ?? null,
    p95_ttft_ms: known?.hour.ttftP95Ms ?? null,
    p99_ttft_ms: known?.hour.ttftP99Ms ?? null,
    tokens_per_second: known?.throughput == null ? null : rounded(known.throughput),
    quality_score: rounded(known?.qualityScore ?? startQuality),
    circuit_state: candidate ? circuitOf(candidate, stateOf, undefined) : stateOf(key),
    circuit_changed_at: changedAtMs === 0 ? null : Math.floor(changedAtMs / 1000),
  };
}

const urgency: Record<CircuitState, number> = { open: 0, half_open: 1, closed: 3 };
/** With few requests a circuit stays closed even if all of them fail. */
const poorRate = 0.9;
const failing = 2;
const urgencyOf = ({ circuit_state, success_rate_last_hour }: Item): number =>
  circuit_state === 'closed' && success_rate_last_hour < poorRate ? failing : urgency[circuit_state];

/** Failing ones first, then the busiest. */
const byInterest = (a: Item, b: Item): number =>
  urgencyOf(a) - urgencyOf(b) ||
  b.total_requests - a.total_requests ||
  (candidateKey(a.provider, a.model_id, a.channel_id) < candidateKey(b.provider, b.model_id, b.channel_id) ? -1 : 1);

/**
 * The matching entries that callers of the group can reach. Administrators see all, including measured ones that have
 * left the catalog.
 */
async function visible(
  parts: RoutingParts,
  group: string | undefined,
  wanted: (id: CandidateId) => boolean,
): Promise<Item[]> {
  const items = new Map<string, Item>();
  for (const candidate of await parts.deps.catalog.allCandidates(group)) {
    const { key, channel, modelId, qualityScore } = candidate;
    const id = { provider: channel.provider, modelId, channelId: channel.id };
    if (wanted(id)) items.set(key, itemOf(parts, id, qualityScore, candidate));
  }
  if (group !== undefined) return [...items.values()];
  for (const snapshot of parts.metrics.snapshots()) {
    const key = candidateKey(snapshot.provider, snapshot.modelId, snapshot.channelId);
    if (snapshot.samples > 0 && wanted(snapshot) && !items.has(key)) items.set(key, itemOf(parts, snapshot, 1));
  }
  return [...items.values()];
}

export function metricsRoutes(parts: RoutingParts): Route[] {
  return [
    defineRoute({
      ...routing,
      method: 'get',
      path: '/api/routing/metrics',
      summary: 'Get the health of the providers: success rate, latency and circuit state of each',
      auth: 'session',
      query: z.strictObject({ model_id: z.string().optional(), provider: z.string().optional(), ...pageFields }),
      answers: { 200: listed({ metrics: z.array(shape) }) },
      handle: async (call) => {
        const { model_id: modelId, provider, page, page_size } = call.query;
        const { user, administers } = call.principal;
        const wanted = (id: CandidateId): boolean =>
          (!modelId || id.modelId === modelId) && (!provider || id.provider === provider);
        const items = await visible(parts, administers ? undefined : user.group, wanted);
        items.sort(byInterest);
        const start = offsetOf(call.query);
        const metrics = items.slice(start, start + page_size);
        return ok(call, { metrics, total: items.length, page, page_size });
      },
    }),
  ];
}
