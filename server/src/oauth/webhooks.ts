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

interface Delivery {
  /** Identifies user and application. */
  consent: string;
  send(): Promise<void>;
}

export function openWebhooks(deps: WebhookDeps): Webhooks {
  const waiting: Delivery[] = [];
  const idle: (() => void)[] = [];
  /** Serialized per consent: an end must not arrive before its beginning. */
  const running = new Set<string>();

  const next = () => {
    const at = waiting.findIndex(({ consent }) => !running.has(consent));
    if (at < 0) {
      if (running.size === 0) for (const resolve of idle.splice(0)) resolve();
      return;
    }
    const [{ consent, send }] = waiting.splice(at, 1) as [Delivery];
    running.add(consent);
    void send().finally(() => {
      running.delete(consent);
      next();
    });
  };

  return {
    notify: (target, event, userId, data) => {
      if (target.webhook_url === '') return;
      if (waiting.length >= mostWaiting) {
        deps.log.warn({ applicationId: target.id, event }, 'webhook dropped: too many are queued');
        return;
      }
      const body = { event, application_id: target.id, user_id: userId, timestamp: nowSeconds(deps.clock), data };
      waiting.push({ consent: `${userId} ${target.id}`, send: () => deliver(deps, target, body) });
      if (running.size < mostAtOnce) next();
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
