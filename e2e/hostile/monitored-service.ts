/** A service whose event loop is monitored. */
import { join } from 'node:path';
import { freePort, type Service, startService } from '../service.ts';
import type { Case } from './cases.ts';

const mostMs = 50;
/** On a slower machine the limit is higher: a multiple of the time that a fixed piece of work takes there. */
const mostPaces = 1.5;
/** Garbage collection or compilation may slow down one try, but not all of them. */
const tries = 5;
/** Sent together, since most do not block; groups that do are then sent one by one. */
const atOnce = 6;
/** Streams are read for a while only. */
const streamMs = 300;
const only = process.env.SVC_HOSTILE_ONLY;
/** Enables the endpoints that are off by default. */
const allOn = { OPENID_CONNECT: '1', ALLOW_PRIVATE_WEBHOOKS: '1' };

export interface MonitoredService {
  service: Service;
  /** How long the loop is blocked when idle. */
  idleMs: number;
  send(one: Case): Promise<number>;
  /** Names of the cases that blocked the loop in every try. A group that did not block it contains none. */
  findSlow(cases: Case[]): Promise<string[]>;
}

export async function startMonitored(): Promise<MonitoredService> {
  const port = freePort();
  const watch = `http://127.0.0.1:${port}`;
  const service = await startService({
    env: { DEMO_PROVIDER: 'on', LOG_LEVEL: 'error', LOOP_WATCH_PORT: `${port}`, ...allOn },
    preload: join(import.meta.dir, 'event-loop-monitor.ts'),
  });
  const told = async (path = ''): Promise<number> => (await (await fetch(watch + path)).json()) as number;

  /** The longest time the loop was blocked meanwhile. */
  async function heldBy(work: () => Promise<unknown>): Promise<number> {
    await told();
    let done = false;
    const working = work().finally(() => {
      done = true;
    });
    while (!done) {
      const { status } = await fetch(`${service.url}/healthz`);
      if (status !== 200) throw new Error(`the service is not well: ${status}`);
      await Bun.sleep(5);
    }
    await working;
    // Work after the answer counts too.
    await Bun.sleep(30);
    return told();
  }
  const idle = () => heldBy(() => Bun.sleep(500));
  // Remaining work from startup may affect one of them.
  const idleMs = Math.min(await idle(), await idle());
  const send = (one: Case): Promise<number> => sendTo(service.url, one);

  async function slowAlone(one: Case): Promise<string[]> {
    const seen: number[] = [];
    while (seen.length < tries) {
      const pace = await told('/pace');
      const held = (await heldBy(() => send(one))) - idleMs;
      if (held <= Math.max(mostMs, mostPaces * pace)) return [];
      seen.push(held);
    }
    return [`${titleOf(one)}: held for ${seen.map(Math.round).join(', ')} ms`];
  }

  const findSlow: MonitoredService['findSlow'] = async (cases) => {
    const wanted = only ? cases.filter(({ name, path }) => `${name} ${path}`.includes(only)) : cases;
    const faults: string[] = [];
    for (let i = 0; i < wanted.length; i += atOnce) {
      const group = wanted.slice(i, i + atOnce);
      const held = await heldBy(() =>
        Promise.all(
          group.map(async (one) => {
            const status = await send(one);
            if (status >= 500 && status !== 503) faults.push(`${titleOf(one)}: status ${status}`);
          }),
        ),
      );
      if (held - idleMs > mostMs) for (const one of group) faults.push(...(await slowAlone(one)));
    }
    return faults;
  };
  return { service, idleMs, send, findSlow };
}

async function sendTo(url: string, { method, path, headers, body }: Case): Promise<number> {
  const signal = AbortSignal.timeout(120_000);
  const response = await fetch(url + path, {
    method,
    headers,
    signal,
    redirect: 'manual',
    ...(body && { body }),
  });
  if (!response.headers.get('content-type')?.includes('event-stream')) await response.bytes();
  else
    await Promise.race([
      response.bytes(),
      Bun.sleep(streamMs).then(() => response.body?.cancel().catch(() => {})),
    ]).catch(() => {});
  return response.status;
}

export const titleOf = ({ method, path, name }: Case): string => `${method} ${path.slice(0, 80)} ${name}`;

export const byKey = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });
