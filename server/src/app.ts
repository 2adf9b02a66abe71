import { OpenAPIHono } from '@hono/zod-openapi';
import type { Server } from 'bun';
import type { Config } from './config.ts';
import { ensureRoot } from './identity/accounts.ts';
import type { Identity } from './identity/open.ts';
import { openObserver } from './observe.ts';
import { parseBlock } from './platform/http/client-ip.ts';
import { DirectRoutes } from './platform/http/direct.ts';
import { headerSets } from './platform/http/headers.ts';
import { answerUnmatched, type HttpApp, type HttpDeps, type HttpEnv, mountRoutes } from './platform/http/mount.ts';
import { securitySchemes } from './platform/http/openapi.ts';
import { mountSystem } from './platform/http/system-routes.ts';
import { webAsset } from './platform/http/web-assets.ts';
import { setLogLevel } from './platform/log.ts';
import type { Platform } from './platform/open.ts';
import { openRooms } from './rooms.ts';

export interface App {
  fetch(request: Request, server?: Server<unknown>): Response | Promise<Response>;
  /** Those of its addresses that a server may find by itself. */
  direct: DirectRoutes;
  /** The OpenAPI document of every endpoint. */
  document(): unknown;
  identity: Identity;
  /** Name and password of the root user, when this start made it and drew the password. */
  newRoot: { username: string; password: string | null } | null;
  /** Starts the work behind the requests: jobs, sweeps, roll-ups. */
  start(): Promise<void>;
  /** Throws out what has run out; runs by itself once a minute. */
  sweep(): void;
  /** Told first at a stop: readiness turns off. */
  drain(): void;
  /** Flushes and ends what `start` began; the platform stays open. */
  stop(): Promise<void>;
}

const sweepMs = 60_000;

/** Wires the rooms together; no listening, so that tests call `fetch` directly. */
export async function buildApp(platform: Platform, config: Config): Promise<App> {
  const { database, shared, clock, log, metrics } = platform;
  const observer = openObserver(platform, config);
  const rooms = await openRooms(platform, config, observer);
  const { options } = rooms.identity;
  const applyLogLevel = () => setLogLevel(log, options.get('LogLevel'), config.logLevel);
  options.onChange(applyLogLevel);
  applyLogLevel();
  const newRoot = await ensureRoot({ db: database.db, clock }, config.admin);

  let draining = false;
  const http: HttpDeps = {
    authenticators: rooms.authenticators,
    limiter: {
      shared,
      limitOf: (option) => Number(options.get(option as 'RateLimitApi')),
      enabled: () => options.get('RateLimitEnabled'),
    },
    log,
    metrics,
    trustedProxies: config.trustedProxies.map(parseBlock).filter((block) => block !== null),
    headers: headerSets(config.baseUrl.startsWith('https:')),
    accessLog: () => options.get('AccessLog'),
    ...(observer.tracer && { tracer: observer.tracer }),
  };
  const app: HttpApp = new OpenAPIHono<HttpEnv>();
  mountSystem(app, { platform, metricsToken: config.metricsToken, draining: () => draining });
  const direct = new DirectRoutes();
  mountRoutes(app, rooms.routes, http, direct);
  const document = () => describe(app, config.baseUrl);
  app.get('/openapi.json', () => Response.json(document(), { headers: { 'cache-control': 'no-cache' } }));
  app.notFound((c) => answerPage(app, c, http));

  let sweeper: Timer | undefined;
  return {
    fetch: (request, server) => direct.find(request)?.(request, server) ?? app.fetch(request, server),
    direct,
    document,
    identity: rooms.identity,
    newRoot,
    start: async () => {
      await rooms.start();
      sweeper = setInterval(rooms.sweep, sweepMs);
    },
    sweep: rooms.sweep,
    drain: () => {
      draining = true;
      rooms.drain();
    },
    stop: async () => {
      clearInterval(sweeper);
      await rooms.stop();
      await observer.tracer?.stop();
    },
  };
}

function describe(app: HttpApp, baseUrl: string): unknown {
  for (const [name, scheme] of Object.entries(securitySchemes))
    app.openAPIRegistry.registerComponent('securitySchemes', name, scheme);
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'svc', version: '1.0', description: 'OAuth 2.0 authorization server and AI gateway.' },
    servers: [{ url: baseUrl }],
  });
}

type PageContext = Parameters<Parameters<HttpApp['notFound']>[0]>[0];

/** Addresses outside the API belong to the web app. */
async function answerPage(app: HttpApp, c: PageContext, http: HttpDeps): Promise<Response> {
  const { path, method } = c.req;
  if ((method === 'GET' || method === 'HEAD') && !/^\/(api|v1)(\/|$)/.test(path)) {
    const asset = await webAsset(path, c.req.raw);
    if (asset) {
      for (const [name, value] of Object.entries(http.headers.page)) asset.headers.set(name, value);
      return asset;
    }
  }
  return answerUnmatched(app, c, http);
}
