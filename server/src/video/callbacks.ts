import { nowSeconds } from '../lib/clock.ts';
import { signPayload } from '../lib/hashing.ts';
import type { Worked } from '../platform/durable/jobs.ts';
import { openShares } from '../platform/durable/shares.ts';
import { OutgoingError, sendGuarded } from '../platform/http/outgoing.ts';
import { callbackSecrets } from './callback-secrets.ts';
import type { VideoDeps } from './deps.ts';
import { hasEnded } from './status.ts';
import { changeJob, findJob, type VideoJob } from './store.ts';
import { callbackBody } from './view.ts';

const keepTryingMs = 24 * 3_600_000;
const timeoutMs = 10_000;
/** Calls in progress to the receivers of one user: one that never answers must not take the places of all others. */
export const mostOfUser = 2;
const waitMs = (tries: number): number => Math.min(2_000 * 2 ** tries, 3_600_000);

/** Attempts to deliver a job's end; each asks to be retried until the receiver accepts it or a day has passed. */
export function openCallbacks(deps: VideoDeps): (id: string, signal: AbortSignal) => Promise<Worked> {
  const share = openShares(mostOfUser);
  return async (id, signal) => {
    const job = await findJob(deps.db, id);
    if (!job || !hasEnded(job.status) || job.callback_url === '' || job.called_back_at_ms > 0) return;
    return share(job.user_id, () => deliver(deps, job, signal));
  };
}

async function deliver(deps: VideoDeps, job: VideoJob, signal: AbortSignal): Promise<Worked> {
  const { id } = job;
  const fault = await tell(deps, job, signal);
  const now = deps.clock.nowMs();
  if (fault === null) return changeJob(deps.db, id, { called_back_at_ms: now });
  deps.log.warn({ job: id, tries: job.callback_tries + 1, reason: fault }, 'a video callback was not accepted');
  await changeJob(deps.db, id, { callback_tries: job.callback_tries + 1 });
  const againInMs = waitMs(job.callback_tries);
  if (now + againInMs < job.finished_at_ms + keepTryingMs) return { againInMs };
  deps.log.error({ job: id }, 'a video callback will not be retried');
}

/** Null if the receiver answered 2xx; otherwise the reason. */
async function tell(deps: VideoDeps, job: VideoJob, signal: AbortSignal): Promise<string | null> {
  const { clock, config } = deps;
  const { secret, previous } = await callbackSecrets(deps, { userId: job.user_id, keyId: job.key_id });
  const now = nowSeconds(clock);
  const body = JSON.stringify(callbackBody(job, config.baseUrl));
  const request = {
    url: job.callback_url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'svc-video-callback',
      'x-svc-idempotency-key': `${job.id}-${job.status}`,
      'x-svc-signature': signPayload(secret, body, now),
      ...(previous && { 'x-svc-signature-previous': signPayload(previous.secret, body, now) }),
    },
    body,
    timeoutMs,
    signal,
  };
  try {
    const { status } = await sendGuarded(request, { allowPrivate: config.allowPrivateAddresses });
    return status >= 200 && status < 300 ? null : `HTTP ${status}`;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OutgoingError) return error.message;
    throw error;
  }
}
