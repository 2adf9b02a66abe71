import { type Clock, nowSeconds } from '../lib/clock.ts';
import { signPayload } from '../lib/hashing.ts';
import type { Sealer } from '../lib/seal.ts';
import type { OutgoingAnswer, OutgoingPolicy, OutgoingRequest } from '../platform/http/outgoing.ts';
import type { Log } from '../platform/log.ts';

type WebhookEvent = 'consent_granted' | 'consent_revoked';

interface WebhookTarget {
  id: number;
  webhook_url: string;
  webhook_secret: string;
}

/** Notifies applications about consents: signed, never blocking the flow, tried once. */
export interface Webhooks {
  notify(target: WebhookTarget, event: WebhookEvent, userId: number, data: Record<string, unknown>): void;
  /** Waits for pending ones, at most `drainMs`; the rest is dropped. */
  stop(drainMs: number): Promise<void>;
}

export interface WebhookDeps {
  clock: Clock;
  log: Log;
  sealer: Sealer;
  allowPrivate: boolean;
  send(request: OutgoingRequest, policy: OutgoingPolicy): Promise<OutgoingAnswer>;
}

const timeoutMs = 10_000;
/** A slow receiver must not delay others, nor many of them fill memory. */
const mostAtOnce = 32;
const mostWaiting = 5_000;
/** Of these, for one application or one user: an application may have many users, who each change their mind rarely. */
const mostOfOne = {
  application: { atOnce: 8, waiting: 1_000 },
  user: { atOnce: 4, waiting: 100 },
};

interface Delivery {
  application: number;
  user: number;
  send(): Promise<void>;
}

const consentOf = ({ application, user }: Delivery): string => `${user} ${application}`;

export function openWebhooks(deps: WebhookDeps): Webhooks {
  const waiting: Delivery[] = [];
  const idle: (() => void)[] = [];
  /** By consent, and serialized: an end must not arrive before its beginning. */
  const running = new Map<string, Delivery>();

  const isWithin = (among: Iterable<Delivery>, one: Delivery, kind: 'atOnce' | 'waiting'): boolean => {
    const count = { application: 0, user: 0 };
    for (const { application, user } of among) {
      if (application === one.application) count.application += 1;
      if (user === one.user) count.user += 1;
    }
    return count.application < mostOfOne.application[kind] && count.user < mostOfOne.user[kind];
  };

  const mayBegin = (one: Delivery): boolean =>
    !running.has(consentOf(one)) && isWithin(running.values(), one, 'atOnce');

  /** Begins all that may: one end can make room for two, of its application and of its user. */
  const next = () => {
    while (running.size < mostAtOnce) {
      const at = waiting.findIndex(mayBegin);
      if (at < 0) break;
      begin(waiting.splice(at, 1)[0]!);
    }
    if (running.size === 0) for (const resolve of idle.splice(0)) resolve();
  };

  const begin = (one: Delivery) => {
    running.set(consentOf(one), one);
    void one.send().finally(() => {
      running.delete(consentOf(one));
      next();
    });
  };

  return {
    notify: (target, event, userId, data) => {
      if (target.webhook_url === '') return;
      const body = { event, application_id: target.id, user_id: userId, timestamp: nowSeconds(deps.clock), data };
      const one = { application: target.id, user: userId, send: () => deliver(deps, target, body) };
      if (waiting.length >= mostWaiting || !isWithin(waiting, one, 'waiting')) {
        deps.log.warn({ applicationId: target.id, event }, 'webhook dropped: too many are queued');
        return;
      }
      waiting.push(one);
      next();
    },
    stop: async (drainMs) => {
      if (running.size === 0) return;
      const drained = new Promise<void>((resolve) => idle.push(resolve));
      await Promise.race([drained, Bun.sleep(drainMs)]);
      waiting.length = 0;
    },
  };
}

async function deliver(
  deps: WebhookDeps,
  target: WebhookTarget,
  payload: { event: WebhookEvent; timestamp: number },
): Promise<void> {
  const facts = { applicationId: target.id, event: payload.event };
  try {
    const body = JSON.stringify(payload);
    const answer = await deps.send(
      {
        url: target.webhook_url,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'svc-webhooks/1.0',
          'x-svc-event': payload.event,
          'x-svc-timestamp': `${payload.timestamp}`,
          'x-svc-signature': signPayload(deps.sealer.open(target.webhook_secret), body, payload.timestamp),
        },
        body,
        timeoutMs,
      },
      { allowPrivate: deps.allowPrivate },
    );
    if (answer.status >= 300) deps.log.warn({ ...facts, status: answer.status }, 'webhook was not accepted');
  } catch (error) {
    deps.log.warn({ ...facts, error }, 'webhook was not delivered');
  }
}
