import type { Config } from './config.ts';
import type { Identity } from './identity/open.ts';
import { thenMaybe } from './lib/maybe-promise.ts';
import type { Sealer } from './lib/seal.ts';
import type { Observer } from './observe.ts';
import type { Organisations } from './organisations/open.ts';
import { Refusals } from './overview/refusals.ts';
import type { Platform } from './platform/open.ts';
import { demoModels } from './relay/providers/demo/models.ts';
import { type Catalog, openCatalog } from './routing/catalog/catalog.ts';
import { ensureEnvChannels } from './routing/catalog/env-channels.ts';
import { builtInSeeds } from './routing/catalog/seed.ts';
import { catalogView } from './routing/catalog-view.ts';
import { openRouting } from './routing/open.ts';
import type { Routing } from './routing/routing.ts';

interface Needed {
  platform: Platform;
  config: Config;
  sealer: Sealer;
  identity: Pick<Identity, 'options' | 'permits'>;
  organisations: Pick<Organisations, 'teamOf' | 'isMembers'>;
  observer: Observer;
}

/** The catalog and the routing of its models, which reports every call to the observer and the overview. */
export async function openModelRouting(needed: Needed): Promise<{
  catalog: Catalog;
  routing: Routing;
  refusals: Refusals;
}> {
  const { platform, config, sealer, identity, organisations, observer } = needed;
  const { database, shared, cacheSync, clock, log } = platform;
  const { db } = database;
  const { options, permits } = identity;
  await ensureEnvChannels(db, config.providerKeys, { sealer, clock });
  const catalog = await openCatalog({
    ...{ db, shared, sealer },
    demo: config.demoProvider,
    builtIn: builtInSeeds(demoModels),
    defaultPrice: () => options.get('DefaultModelPrice'),
    onTrouble: (message, error) => log.warn({ error }, message),
  });
  const refusals = new Refusals(clock);
  const routing = await openRouting({
    ...{ db, clock, shared, cacheSync, sealer },
    catalog: catalogView(catalog, db),
    ...{ teamOf: organisations.teamOf, isMembers: organisations.isMembers },
    isAllowance: (userId, keyId) => thenMaybe(permits.of({ userId, keyId }), ({ application }) => application !== null),
    ownKeyFee: () => (options.get('OwnKeys') ? options.get('OwnKeyFee') : null),
    decisionLogDays: () => options.get('DecisionLogDays'),
    onReport: (id, candidate, report) => {
      observer.onReport(id, candidate, report);
      refusals.report(candidate, report);
    },
    onTransition: (key, state) => log.info({ candidate: key, state }, 'a circuit changed'),
    onError: (error, what) => log.warn({ error }, `routing could not ${what}`),
  });
  return { catalog, routing, refusals };
}
