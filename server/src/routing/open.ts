import { openAffinity } from './affinity.ts';
import { openBreaker } from './breaker.ts';
import { openConfigs } from './configs.ts';
import { openCredentialMeter } from './credential-meter.ts';
import { openDecisionLog } from './decisions.ts';
import { circuitKeys } from './keyed-candidates.ts';
import { openMetrics } from './metrics.ts';
import { openOwnKeys } from './own-keys.ts';
import { openPreferences } from './preferences.ts';
import { type Routing, type RoutingDeps, RoutingService } from './routing.ts';

export async function openRouting(deps: RoutingDeps): Promise<Routing> {
  const { db, clock, shared, cacheSync, catalog, sealer } = deps;
  const failed = (what: string) => (error: unknown) => deps.onError?.(error, what);
  const knownKeys = async () => (await catalog.allCandidates()).flatMap(circuitKeys);
  const breaker = await openBreaker({
    clock,
    shared,
    knownKeys,
    ...(deps.onTransition && { onTransition: deps.onTransition }),
  });
  // Redis may be unavailable at start: then circuits begin closed.
  await breaker.reread(await knownKeys()).catch(failed('read circuits'));
  return new RoutingService({
    deps,
    breaker,
    metrics: await openMetrics({ db, clock, onError: failed('aggregate metrics') }),
    meter: await openCredentialMeter({ db, clock, shared, onError: failed('count the use of credentials') }),
    affinity: await openAffinity({ clock, shared }),
    decisions: openDecisionLog({ db, clock, keepDays: deps.decisionLogDays, onError: failed('write decisions') }),
    preferences: await openPreferences({ db, clock, shared, cacheSync }),
    ...(sealer && {
      ownKeys: await openOwnKeys({
        ...{ db, clock, shared, cacheSync, sealer },
        ...{ teamOf: deps.teamOf, isMembers: deps.isMembers, isAllowance: deps.isAllowance },
        allowed: () => (deps.ownKeyFee?.() ?? null) !== null,
        onTrouble: (message, error) => deps.onError?.(error, `use a key: ${message}`),
      }),
    }),
    configs: await openConfigs({ db, clock, shared, onError: failed('reload routing configs') }),
  });
}
