import { manualClock } from '../lib/clock.ts';
import type { Db } from '../platform/db/tables.ts';
import { alwaysReliable } from '../platform/shared/cache-sync.fixture.ts';
import { memoryShared } from '../platform/shared/memory.ts';
import { candidateOf } from './candidate.fixture.ts';
import type { Candidate, Channel } from './candidate.ts';
import type { RoutingCatalog } from './catalog-view.ts';
import { legacyCandidate } from './legacy.ts';
import { openRouting } from './open.ts';
import type { Report } from './plan.ts';
import type { PlanRequest, RoutingDeps } from './routing.ts';

const free = { promptPrice: 0, completionPrice: 0, requestPrice: 0 };

/** For tests: a catalog with these candidates, and with channels that list `old/model`. */
export const catalogOf = (candidates: Candidate[], channels: Channel[] = []): RoutingCatalog => ({
  candidatesFor: (modelId, type, group) =>
    candidates.filter(
      (one) =>
        one.modelId === modelId &&
        one.type === type &&
        (one.channel.group === 'default' || one.channel.group === group),
    ),
  legacyCandidatesFor: (modelId, type) =>
    modelId === 'old/model' ? channels.map((channel) => legacyCandidate(channel, modelId, type, free)) : [],
  allCandidates: async (group) =>
    candidates.filter((one) => group === undefined || one.channel.group === 'default' || one.channel.group === group),
  providers: async () =>
    new Set([...candidates.map((one) => one.channel), ...channels].map((channel) => channel.provider)),
  hasModel: async (modelId) => modelId === 'old/model' || candidates.some((one) => one.modelId === modelId),
});

export const success = (fields: Partial<Report> = {}): Report => ({
  outcome: 'success',
  latencyMs: 100,
  promptTokens: 5,
  completionTokens: 7,
  wellFormed: true,
  nonEmpty: true,
  ...fields,
});
export const failure = (fields: Partial<Report> = {}): Report =>
  success({
    outcome: 'failure',
    wellFormed: false,
    nonEmpty: false,
    completionTokens: 0,
    cause: 'server_error',
    ...fields,
  });
export const neutral = (fields: Partial<Report> = {}): Report => failure({ outcome: 'neutral', ...fields });

export const requestOf = (fields: Partial<PlanRequest> = {}): PlanRequest => ({
  requestId: 'req_1',
  userId: 7,
  group: 'default',
  modelId: 'acme/large',
  type: 'chat',
  ...fields,
});

export async function routingWith(db: Db, fields: Partial<RoutingDeps> = {}) {
  const clock = manualClock();
  const shared = memoryShared(clock);
  const routing = await openRouting({
    db,
    clock,
    shared,
    cacheSync: alwaysReliable,
    catalog: catalogOf([1, 2, 3].map((id) => candidateOf(id, { price: [id, id] }))),
    decisionLogDays: () => 30,
    random: () => 0,
    ...fields,
  });
  return { routing, clock, shared };
}
