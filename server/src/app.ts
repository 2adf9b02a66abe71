import type { Server } from 'bun';
import type { Config } from './config.ts';
import { openFeatures } from './features.ts';
import { ensureRoot } from './identity/accounts.ts';
import { recordActs, userIdOf } from './identity/audit/record-acts.ts';
import { stepUpOf } from './identity/factors/step-up.ts';
import type { Identity } from './identity/open.ts';
import type { Mcp } from './mcp/open.ts';
import { openObserver } from './observe.ts';
import { parseBlock } from './platform/http/client-ip.ts';
import { compressedDocument } from './platform/http/compressed-answer.ts';
import { headerSets } from './platform/http/headers.ts';
import { type HttpDeps, mountRoutes } from './platform/http/mount.ts';
import { documentOf } from './platform/http/openapi.ts';
import { useOutgoingProxy } from './platform/http/outgoing-proxy.ts';
import { mountSystem } from './platform/http/system-routes.ts';
import { setLogLevel } from './platform/log.ts';
import { openLoopWatch } from './platform/loop-watch.ts';
import type { Platform } from './platform/open.ts';
import { aliasesOf, pathMeant } from './relay/routes/aliases.ts';

export interface App {
  fetch(request: Request, server?: Server<unknown>): Response | Promise<Response>;
  /** The OpenAPI document of every endpoint. */
  document(): unknown;
  identity: Identity;
  mcp: Mcp;
  /** Name and password of the root user, if this start created it and generated the password. */
  newRoot: { username: string; password: string | null } | null;
  /** Starts background work: jobs, sweeps, roll-ups. */
  start(): Promise<void>;
  /** Deletes expired data; runs once a minute by itself. */
  sweep(): void;
  /** First step of a shutdown: readiness turns off. */
  drain(): void;
  /** The grace period is over: answers still in progress end with an error. */
  cutOff(): void;
  /** Flushes and stops what `start` began; the platform stays open. */
  stop(): Promise<void>;
}

const sweepMs = 60_000;

/** Wires the features together without listening, so that tests can call `fetch` directly. */
export async function buildApp(platform: Platform, config: Config): Promise<App> {
  const { database, shared, clock, log, metrics } = platform;
  useOutgoingProxy(config.outgoingProxy);
  const observer = openObserver(platform, config);
  // What asks it does so when requests come.
  const features = await openFeatures(platform, config, observer, (request, server) => router.fetch(request, server));
  const { options } = features.identity;
  const applyLogLevel = () => setLogLevel(log, options.get('LogLevel'), config.logLevel);
  options.onChange(applyLogLevel);
  applyLogLevel();
  const newRoot = await ensureRoot({ db: database.db, clock, audit: features.audit }, config.admin);

  let draining = false;
  const http: HttpDeps = {
    authenticators: features.authenticators,
    again: features.authenticators,
    conditionOf: stepUpOf(features.identity.requireRecentFactor),
    limiter: {
      shared,
      limitOf: (option) => Number(options.get(option as 'RateLimitApi')),
      enabled: () => options.get('RateLimitEnabled'),
    },
    recordAct: recordActs(features.audit),
    idempotency: features.idempotency,
    userIdOf,
    applicationOf: ({ principal }) => (principal as { applicationId?: number } | null)?.applicationId,
    log,
    metrics,
    trustedProxies: config.trustedProxies.map(parseBlock).filter((block) => block !== null),
    headers: headerSets(config.baseUrl.startsWith('https:')),
    aliasesOf,
    pathMeant,
    cors: features.cors,
    challengeAt: features.challengeAt,
    accessLog: () => options.get('AccessLog'),
    ...(observer.tracer && { tracer: observer.tracer }),
  };
  const headers = http.headers.api;
  const router = mountRoutes(features.routes, http);
  mountSystem(router, { platform, metricsToken: config.metricsToken, headers, draining: () => draining });
  const document = () => documentOf(features.routes, config.baseUrl);
  router.add('GET', '/openapi.json', compressedDocument(document, { ...headers, 'cache-control': 'no-cache' }));

  const loop = openLoopWatch(metrics);
  let sweeper: Timer | undefined;
  return {
    fetch: router.fetch,
    document,
    identity: features.identity,
    mcp: features.mcp,
    newRoot,
    start: async () => {
      await features.start();
      loop.start();
      sweeper = setInterval(features.sweep, sweepMs);
    },
    sweep: features.sweep,
    drain: () => {
      draining = true;
      features.drain();
    },
    cutOff: features.cutOff,
    stop: async () => {
      clearInterval(sweeper);
      loop.stop();
      await features.stop();
      await observer.tracer?.stop();
    },
  };
}
