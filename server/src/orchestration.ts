import type { Billing } from './billing/billing.ts';
import type { Identity } from './identity/open.ts';
import { requestId } from './lib/ids.ts';
import type { Mcp } from './mcp/open.ts';
import { operatorModels } from './operator-models.ts';
import { type Autonomous, openAutonomous } from './orchestra/autonomous/open.ts';
import { orchestraModel } from './orchestra/models.ts';
import { type Orchestra, openOrchestra } from './orchestra/open.ts';
import type { Caller } from './orchestra/ports.ts';
import { modelsOf, relayModels } from './orchestra/relay-models.ts';
import { callerOf } from './orchestra/routes/caller.ts';
import type { Platform } from './platform/open.ts';
import type { StorageQuota } from './platform/storage-quota/storage-quota.ts';
import type { RelayDeps } from './relay/deps.ts';
import type { MetaModel, MetaModels } from './relay/routes/meta-models.ts';

interface OrchestrationDeps {
  platform: Platform;
  relay: RelayDeps;
  billing: Billing;
  storage: StorageQuota;
  identity: Pick<Identity, 'options' | 'permits' | 'authenticators'>;
  mcp: Pick<Mcp, 'tools'>;
}

/** The orchestration model, wired to the other rooms. */
export function openOrchestration({ platform, relay, billing, storage, identity, mcp }: OrchestrationDeps): {
  orchestra: Orchestra;
  autonomous: Autonomous;
  metaModels: MetaModels;
} {
  const { database, owners, shared, clock, log, jobs } = platform;
  const { options } = identity;
  const permit = async (caller: Caller): Promise<Caller> => {
    const { group, models, unlimited, application } = await identity.permits.of(caller);
    return { ...caller, group, allowedModels: models, keyUnlimited: unlimited, application };
  };
  const orchestra = openOrchestra({
    ...{ db: database.db, jobs, clock, owners, shared, storage },
    ...relayModels(relay, permit),
    permit,
    models: (caller) => modelsOf(relay, caller),
    operator: () => operatorModels(options),
    parallelRuns: () => options.get('MsParallelRuns'),
    requireMoney: async ({ userId, keyId, keyUnlimited = true }) => {
      const least = { requestId: requestId(), userId, keyId, keyUnlimited, amount: 1, modelId: orchestraModel };
      await billing.release(await billing.hold(least));
    },
    connectedTools: mcp.tools,
    warn: (message, error) => log.warn({ error }, message),
  });
  const recheckCaller = identity.authenticators.keyOrSession;
  const autonomous = openAutonomous({ ...orchestra.deps, shared, recheckCaller, stopping: relay.stopping });
  const answer: MetaModel = ({ principal, requestId: id, behind }, conversation, signal, onDelta) => {
    const caller = { ...callerOf(principal), priceFactor: behind?.priceFactor };
    // The id under which the work's own calls are found covers those of its turns, too.
    const found = behind?.parentRequestId ?? id;
    return orchestra.chat({ caller, conversation, signal, requestId: found, calls: behind?.calls }, onDelta);
  };
  answer.check = ({ principal }, conversation) => orchestra.check({ caller: callerOf(principal), conversation });
  return { orchestra, autonomous, metaModels: { [orchestraModel]: answer } };
}
