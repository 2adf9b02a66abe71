import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { buildApp } from './app.ts';
import type { Config } from './config.ts';
import { drain, lastOnItsConnection } from './drain.ts';
import { watchForDamage } from './platform/db/damage-watch.ts';
import { failedOutside } from './platform/http/failed-outside.ts';
import { headerSets } from './platform/http/headers.ts';
import { patienceSeconds } from './platform/http/http-call.ts';
import { socketHandlers } from './platform/http/sockets.ts';
import { openLog } from './platform/log.ts';
import { openPlatform } from './platform/open.ts';
import { ownProgram } from './platform/own-program.ts';
import { StartFault } from './platform/start-fault.ts';
import { superviseWorkers, tellSupervisor, whenOrphaned, workerVariable } from './workers.ts';

/**
 * Our own checks give clear 413s below this; Bun's limit only stops what is far past them. Parts of uploads have 64 MiB,
 * and a form around them.
 */
export const maxRequestBodySize = 66 * 1024 * 1024;

/** Serves until stopped; with several workers this process only supervises them. */
export async function serve(config: Config, environment: Record<string, string | undefined>): Promise<void> {
  if (config.workers > 1 && !environment[workerVariable])
    process.exit(await superviseWorkers(config.workers, environment, openLog(config.logLevel)));
  await serveHere(config, environment);
}

async function serveHere(config: Config, environment: Record<string, string | undefined>): Promise<void> {
  const log = openLog(config.logLevel);
  // Before listening there is nothing to drain.
  let stop: () => void = () => process.exit(1);
  if (environment[workerVariable])
    void whenOrphaned(() => {
      log.error('the supervisor of this worker is gone; stopping');
      stop();
    });
  const platform = await openPlatform(config, log);
  const app = await buildApp(platform, config);
  tellPassword(app.newRoot);
  let stopping = false;
  const server = await listening(config, () =>
    Bun.serve({
      port: config.port,
      hostname: config.host,
      reusePort: config.workers > 1,
      maxRequestBodySize,
      // For incomplete requests; lifted once a request has arrived, see HttpCall.
      idleTimeout: patienceSeconds,
      // Bun's error page for faults outside our handlers would show the request including credentials.
      development: false,
      error: failedOutside(log, headerSets(config.baseUrl.startsWith('https:')).api),
      fetch: (request, self) => (stopping ? lastOnItsConnection(app.fetch(request, self)) : app.fetch(request, self)),
      websocket: socketHandlers,
    }),
  );
  platform.metrics.gauge('svc_pending_requests', 'Requests in progress.', () => server.pendingRequests);
  const endWatch =
    platform.database.engine === 'sqlite'
      ? watchForDamage({
          command: [...ownProgram(), 'check-database'],
          env: environment,
          log,
          metrics: platform.metrics,
          looked: (damage) => {
            platform.database.damage = damage;
          },
        })
      : undefined;
  await app.start();
  tell(`svc is ready at ${config.baseUrl}`);
  tellSupervisor();
  stop = once(async () => {
    stopping = true;
    app.drain();
    log.info('shutting down: waiting for requests to finish');
    endWatch?.();
    await drain(server, config.drainMs, () => app.cutOff());
    await app.stop();
    await platform.close();
    process.exit(0);
  });
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** Turns a listen error into words an operator can act on. That of a name without an address says nothing of it. */
async function listening<T>({ host, port }: Config, open: () => T): Promise<T> {
  try {
    return open();
  } catch (error) {
    const unknown = isIP(host) === 0 && !(await lookup(host).catch(() => null));
    const reason = unknown ? 'this name has no address' : error instanceof Error ? error.message : error;
    throw new StartFault(`The service cannot listen on port ${port} of ${host}: ${reason} (set with PORT and HOST)`);
  }
}

/** As soon as the user exists: the start may still fail, and the next one no longer knows the password. */
function tellPassword(root: { username: string; password: string | null } | null): void {
  if (root?.password) tell(`Log in as ${root.username} with password ${root.password} (shown only once)`);
}

const tell = (line: string): boolean => process.stdout.write(`\n  ${line}\n\n`);

function once(act: () => Promise<void>): () => void {
  let begun = false;
  return () => {
    if (begun) return;
    begun = true;
    void act();
  };
}
