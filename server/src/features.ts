import { openAccounts } from './accounts/open.ts';
import { ownTools } from './agents/own-tools.ts';
import { ownFile } from './batches/files.ts';
import { fileKeeper } from './batches/keeper.ts';
import { openBatches } from './batches/open.ts';
import { openBilling } from './billing/billing.ts';
import { failureRoutes } from './billing/failure-routes.ts';
import { openFailureLog } from './billing/failures.ts';
import { billingRoutes } from './billing/routes.ts';
import { sweepBilling } from './billing/sweep.ts';
import type { Config } from './config.ts';
import { corsPolicy, originAllowed } from './cors-policy.ts';
import { addGauges } from './gauges.ts';
import { type AuditLog, openAuditLog } from './identity/audit/log.ts';
import { openMailer } from './identity/mails/mailer.ts';
import { type Identity, openIdentity } from './identity/open.ts';
import type { OptionName } from './identity/option-table.ts';
import { nowSeconds } from './lib/clock.ts';
import { openSealer } from './lib/seal.ts';
import { openMcpFront } from './mcp/front/open.ts';
import { type Mcp, openMcp } from './mcp/open.ts';
import { mcpAuthenticators } from './mcp-callers.ts';
import { openModelRouting } from './model-routing.ts';
import { openOAuth } from './oauth/open.ts';
import { applicationNames } from './oauth/store/applications.ts';
import type { Observer } from './observe.ts';
import { openOrchestration } from './orchestration.ts';
import { openOrganisations } from './organisations/open.ts';
import { overviewRoutes } from './overview/routes.ts';
import { openBlobSweep } from './platform/blobs/sweep.ts';
import type { CorsPolicy } from './platform/http/cors.ts';
import { MemoryBudget } from './platform/http/memory-budget.ts';
import { sendGuarded } from './platform/http/outgoing.ts';
import type { Authenticators, Route } from './platform/http/route.ts';
import { type Idempotency, openIdempotency } from './platform/idempotency/open.ts';
import type { Platform } from './platform/open.ts';
import { openStorageQuota } from './platform/storage-quota/storage-quota.ts';
import { UpstreamConnections } from './platform/upstream/connections.ts';
import { openPlayground } from './playground/open.ts';
import { openAnswerCache } from './relay/cache/open.ts';
import type { RelayDeps } from './relay/deps.ts';
import { imageKeeper } from './relay/endpoints/image-files.ts';
import { testOwnKey } from './relay/endpoints/key-tests.ts';
import { isKnown } from './relay/model-names.ts';
import { relayRoutes } from './relay/open.ts';
import type { Ask } from './relay/response-sockets/request-sender.ts';
import { openResponses } from './relay/responses/open.ts';
import { stoppingError } from './relay/stopping.ts';
import { openWatchdog } from './relay/watchdog.ts';
import { openRelaySockets } from './relay-sockets.ts';
import { openContents } from './requests/contents/open.ts';
import { requestRoutes } from './requests/routes.ts';
import { catalogRoutes } from './routing/catalog/routes.ts';
import { healthOfCatalog } from './routing/credential-health.ts';
import { routingRoutes } from './routing/routes.ts';
import { systemPageRoutes } from './system-page.ts';
import { noteToolCalls, toolMoney } from './tool-calls.ts';
import { openTopUps } from './topups/open.ts';
import { videoKeeper } from './video/keeper.ts';
import { openVideo } from './video/open.ts';

/** Every feature, opened in dependency order. */
export interface Features {
  identity: Identity;
  audit: AuditLog;
  idempotency: Idempotency;
  mcp: Mcp;
  routes: Route[];
  authenticators: Authenticators;
  cors: CorsPolicy;
  challengeAt(path: string): string | null;
  start(): Promise<void>;
  /** Ends what would delay a shutdown: streams that their clients resume elsewhere. */
  drain(): void;
  /** The grace period is over: waiting clients are told, and what was produced is charged. */
  cutOff(): void;
  /** Flushes and closes, in reverse order of opening. */
  stop(): Promise<void>;
  /** Deletes expired data; called once a minute. */
  sweep(): void;
}

export async function openFeatures(
  platform: Platform,
  config: Config,
  observer: Observer,
  ask: Ask,
): Promise<Features> {
  const { database, owners, shared, cacheSync, clock, log, jobs, blobs } = platform;
  const { db } = database;
  const sealer = openSealer({ keys: platform.sealingKeys });
  const audit = openAuditLog({ db: database.db, clock, log });
  const idempotency = openIdempotency({ db, owners, clock, sealer, log });
  const billing = await openBilling({ database, owners, shared, clock, log });
  const failures = openFailureLog({ db, clock, log });
  const mailer = config.mail ? openMailer({ ...config.mail, webUrl: config.webUrl }) : null;
  const identity = await openIdentity({
    ...{ audit, sealer, mailer, log, db, shared, clock },
    baseUrl: config.baseUrl,
    webUrl: config.webUrl,
    optionDefaults: config.optionDefaults,
    cacheSync,
    heldBy: billing.heldBy,
    recallKey: billing.recallKey,
    allowPrivateAddresses: config.allowPrivateAddresses,
  });
  const { options } = identity;
  const bytesOf = (option: `${string}Mebibytes` & OptionName) => options.get(option) * 1024 * 1024;
  const storage = await openStorageQuota({ db, shared, clock, log, mostBytes: () => bytesOf('KeptPerUserMebibytes') });
  const organisations = openOrganisations({
    ...{ ...identity.accounts, billing, cacheSync, jobs, sealer, mailer, log, send: sendGuarded },
    ...{ webUrl: config.webUrl, baseUrl: config.baseUrl, allowPrivate: config.allowPrivateAddresses },
  });
  billing.acceptLevels(organisations.levels);
  identity.acceptPlaces(organisations.placeOf);

  const teams = organisations.applications;
  const oauth = openOAuth({ db, accounts: identity.accounts, sealer, teams, jobs, log, cacheSync, config });
  identity.acceptTokens(oauth.pay);

  const { baseUrl, webUrl, allowPrivateAddresses: allowPrivate, fetchOnly, assertionsDir, stripe } = config;
  const mcp = openMcp({
    ...{ db, sealer, clock, log, jobs, shared, cacheSync, allowPrivate, fetchOnly, baseUrl, webUrl, assertionsDir },
    money: toolMoney(billing),
    note: noteToolCalls({ billing, audit, observer, metrics: platform.metrics }),
    namedByDocument: () => options.get('McpClientDocument'),
    vouching: identity.vouching,
    memberships: organisations.memberships,
    applicationNames: (ids) => applicationNames(db, ids),
  });
  teams.onEnd((accountId) => mcp.forgetUser(accountId));
  organisations.memberships.onLeft(mcp.forgetMember);

  const { catalog, routing, refusals } = await openModelRouting({
    ...{ platform, config, sealer, identity, organisations, observer },
  });
  const stopping = new AbortController();
  const watchdog = openWatchdog(clock);
  const upstreams = config.fetchOnly ? undefined : new UpstreamConnections();
  addGauges(platform, { billing, watchdog, routing });
  const contentsDays = () => options.get('RequestContentsDays');
  const contents = await openContents({ db, clock, sealer, log, storage, shared, cacheSync, keptDays: contentsDays });
  const relay: RelayDeps = {
    ...{ routing, billing, failures, contents, catalog, blobs, clock, log, watchdog },
    ...(upstreams && { upstreams }),
    ...{ baseUrl, allowPrivateAddresses: allowPrivate, demo: {} },
    ...{ admit: organisations.admit, reachOf: organisations.reachOf },
    stopping: stopping.signal,
    answers: openAnswerCache({ shared, sealer, clock, log, options }),
    fileOf: (userId, id) => ownFile({ db, blobs, clock }, userId, id),
  };

  const { orchestra, autonomous, metaModels } = openOrchestration({ platform, relay, billing, storage, identity, mcp });

  const responses = openResponses({
    ...{ db, owners, jobs, shared, clock, sealer, log, storage, recheckCaller: identity.authenticators.apiKey },
    keptDays: () => options.get('ResponsesKeptDays'),
  });

  const relayed = relayRoutes(relay, metaModels, {
    ...{ room: { db, sealer, clock, catalog }, jobs, responses },
    permits: identity.permits,
  });
  const sockets = openRelaySockets({ platform, config, identity, relay, ask });
  const ownKeysOfTeams = organisations.ownKeyRoutes({
    ...{ keys: routing.parts.ownKeys!, surroundings: routing.parts.deps },
    test: (record, asker) => testOwnKey(relay, { db, sealer, clock, catalog }, record, asker),
  });
  const batches = openBatches({
    ...{ db, owners, jobs, blobs, billing, clock, log, storage, routes: relayed, baseUrl: config.baseUrl },
    permit: identity.permits.of,
    knows: (model, group) => Object.hasOwn(metaModels, model) || isKnown(catalog, model, group),
    priceFactor: () => options.get('BatchPriceFactor'),
    maxFileBytes: () => bytesOf('FileMaxMebibytes'),
    maxUserBytes: () => bytesOf('FilesPerUserMebibytes'),
    maxUploadBytes: () => bytesOf('UploadMaxMebibytes'),
    memoryBudget: new MemoryBudget(),
  });

  const secretKey = platform.sealingKeys[0]!.key;
  const video = openVideo({
    ...{ permit: identity.permits.of, admit: organisations.admit, reachOf: organisations.reachOf },
    ...{ db, jobs, blobs, billing, routing, catalog, clock, log, sealer, secretKey, config },
  });

  const keepers = [fileKeeper(db), videoKeeper(db), imageKeeper(clock)];
  const orphans = openBlobSweep({ blobs, keepers, jobs, clock, log, days: () => options.get('OrphanedFileDays') });

  const topUps = await openTopUps({ db, clock, log, shared, billing, audit, options, stripe, baseUrl, webUrl });

  const playground = openPlayground({ db, clock, storage });

  const accounts = openAccounts({
    ...{ accounts: identity.accounts, jobs, log, oauth, orchestra, autonomous, video },
    ...{ responses, contents, batches, mcp, topUps, organisations, playground, storage },
  });

  const cors = corsPolicy(options, oauth.origins.has);
  const used = billingRoutes({ db, clock, billing });
  const { byMcp, recheckCaller } = mcpAuthenticators({ identity, oauth, baseUrl: config.baseUrl });
  const front = openMcpFront({
    ...{ mcp, shared, recheckCaller },
    settings: {
      keysAllowed: () => options.get('McpApiKeys'),
      usersMayConnect: () => options.get('McpUserServers'),
    },
    own: ownTools({ routes: [...relayed, ...orchestra.routes, ...autonomous.routes, ...video.routes, ...used], log }),
    originAllowed: originAllowed(cors, [new URL(config.baseUrl).origin, new URL(config.webUrl).origin]),
  });
  oauth.resources.listToolsBy(front.shownTools);

  return {
    ...{ identity, audit, idempotency, mcp, cors },
    authenticators: { ...identity.authenticators, ...oauth.authenticators, ...byMcp, scim: organisations.scim },
    challengeAt: oauth.resources.challengeAt,
    routes: [
      ...identity.routes,
      ...organisations.routes,
      ...ownKeysOfTeams,
      ...oauth.routes,
      ...mcp.routes,
      ...front.routes,
      ...used,
      ...failureRoutes({ db, failures }),
      ...requestRoutes({ db, failures, contents, audit, decisions: routing.parts.decisions }),
      ...catalogRoutes({ db, sealer, clock, catalog, ...healthOfCatalog(routing.parts) }),
      ...routingRoutes(routing),
      ...overviewRoutes({ db, database, clock, sealer, jobs, catalog, refusals, routing: routing.parts }),
      ...systemPageRoutes({ platform, billing, catalog, watchdog, baseUrl: config.baseUrl }),
      ...relayed,
      ...sockets.routes,
      ...batches.routes,
      ...orchestra.routes,
      ...autonomous.routes,
      ...video.routes,
      ...topUps.routes,
      ...playground.routes,
      ...accounts.routes,
    ],
    start: async () => {
      routing.start();
      await jobs.start();
      await autonomous.start();
    },
    drain: () => {
      autonomous.drain();
      responses.drain();
      front.drain();
      sockets.drain();
    },
    cutOff: () => stopping.abort(stoppingError()),
    stop: async () => {
      await sockets.stop();
      await autonomous.stop();
      await jobs.stop(0);
      await orchestra.settled();
      await front.stop();
      await mcp.stop();
      watchdog.close();
      upstreams?.close();
      await routing.stop();
      await catalog.close();
      await organisations.stop();
      await failures.stop();
      await contents.stop();
      await billing.stop();
      await oauth.stop();
      await identity.stop();
      mailer?.close();
      await storage.stop();
      await audit.stop();
    },
    sweep: () => {
      const usage = { sweep: () => sweepBilling(db, nowSeconds(clock), options.get('UsageLogDays')) };
      const rooms = [identity, organisations, oauth, mcp, orchestra, autonomous, video, idempotency, responses];
      for (const room of [usage, ...rooms, batches, topUps, contents, storage, orphans])
        void room.sweep().catch((error) => log.warn({ error }, 'a sweep failed'));
    },
  };
}
