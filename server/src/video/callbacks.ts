import { nowSeconds } from '../lib/clock.ts';
import { hmacSha256Hex, signPayload } from '../lib/hashing.ts';
import { OutgoingError, sendGuarded } from '../platform/http/outgoing.ts';
import type { VideoDeps } from './deps.ts';
import { hasEnded } from './status.ts';
import { changeJob, findJob, type VideoJob } from './store.ts';
import { callbackBody } from './view.ts';

const keepTryingMs = 24 * 3_600_000;
const timeoutMs = 10_000;
const waitMs = (tries: number): number => Math.min(2_000 * 2 ** tries, 3_600_000);

/** What signs a user's callbacks. It follows from the service's key, so there is nothing to store and nothing to leak. */
export const callbackSecret = (secretKey: Uint8Array, userId: number): string =>
  `vcs_${hmacSha256Hex(Buffer.from(secretKey).toString('hex'), `video-callback:${userId}`)}`;

/** One try to tell the job's end; asks to be called again until the receiver takes it or a day has passed. */
export async function deliverCallback(deps: VideoDeps, id: string, signal: AbortSignal) {
  const job = await findJob(deps.db, id);
  if (!job || !hasEnded(job.status) || job.callback_url === '' || job.called_back_at_ms > 0) return;
  const fault = await tell(deps, job, signal);
  const now = deps.clock.nowMs();
  if (fault === null) return changeJob(deps.db, id, { called_back_at_ms: now });
  deps.log.warn({ job: id, tries: job.callback_tries + 1, reason: fault }, 'a video callback was not taken');
  await changeJob(deps.db, id, { callback_tries: job.callback_tries + 1 });
  const againInMs = waitMs(job.callback_tries);
  if (now + againInMs < job.finished_at_ms + keepTryingMs) return { againInMs };
  deps.log.error({ job: id }, 'a video callback was given up');
}

/** Null when the receiver answered 2xx; otherwise why not. */
async function tell(
  { clock, config, secretKey }: VideoDeps,
  job: VideoJob,
  signal: AbortSignal,
): Promise<string | null> {
  const body = JSON.stringify(callbackBody(job, config.baseUrl));
  const request = {
    url: job.callback_url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'svc-video-callback',
      'x-svc-idempotency-key': `${job.id}-${job.status}`,
      'x-svc-signature': signPayload(callbackSecret(secretKey, job.user_id), body, nowSeconds(clock)),
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
