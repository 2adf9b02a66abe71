import { nowSeconds } from '../../lib/clock.ts';
import { randomString } from '../../lib/ids.ts';
import { inBatches, sweepBatches } from '../../platform/db/pages.ts';
import type { Jobs } from '../../platform/durable/jobs.ts';
import { openShares } from '../../platform/durable/shares.ts';
import { sendGuarded } from '../../platform/http/outgoing.ts';
import type { OAuthContext } from '../context.ts';
import { applicationStatus } from '../status.ts';
import { findApplication } from '../store/applications.ts';
import { type Among, claimEnded, deleteSignIns, endOfNext } from '../store/sign-ins.ts';

type Deps = Pick<OAuthContext, 'db' | 'clock' | 'log' | 'options' | 'announcements' | 'signingKeys' | 'baseUrl'> & {
  jobs: Jobs;
  allowPrivate: boolean;
};

interface Ended {
  applicationId: number;
  userId: number;
  sid: string;
}

const queue = 'oauth.logout';
/** Survives a receiver's downtime of some minutes. */
const tries = { maxAttempts: 8, backoffMs: 2_000 };
const timeoutMs = 10_000;
/** Calls in progress to one application: one that never answers must not take the places of all others. */
export const mostOfApplication = 2;
/** Back-Channel Logout 1.0 §2.4: short, since it acts at once. */
const logoutTokenSeconds = 120;

/**
 * Notifies applications that a session they know has ended: logged out, revoked, expired, or ended by a password
 * change. Durable, and through the SSRF guard.
 */
export interface BackchannelLogouts {
  /** Finds ends that were not announced, a bounded number at a time. */
  sweep(): Promise<void>;
}

export function openBackchannelLogouts(deps: Deps): BackchannelLogouts {
  const { db, clock, jobs, log, options, announcements } = deps;

  const tell = async (among: Among): Promise<void> => {
    const ended = await claimEnded(db, among, nowSeconds(clock));
    if (options.get('OAuth2OpenIDConnect'))
      for (const { application_id, user_id, sid } of ended) {
        const data: Ended = { applicationId: application_id, userId: user_id, sid };
        await jobs.enqueue(queue, data, { key: sid, ...tries });
      }
    await deleteSignIns(
      db,
      ended.map(({ id }) => id),
    );
  };

  announcements.onChanged(
    (tag) => {
      const [kind, id] = tag.split(':');
      if ((kind !== 'session' && kind !== 'user') || !options.get('OAuth2OpenIDConnect')) return;
      const among = kind === 'session' ? { session: Number(id) } : { user: Number(id) };
      void tell(among).catch((error) => log.warn({ error }, 'logout notifications were not sent; retrying later'));
    },
    () => {},
  );
  const share = openShares(mostOfApplication);
  jobs.work(queue, { concurrency: 8 }, ({ data, signal }) => {
    const ended = data as Ended;
    return share(ended.applicationId, () => sendLogout(deps, ended, signal));
  });

  return {
    sweep: async () => {
      let after = 0;
      await inBatches(async (most) => {
        const end = await endOfNext(db, { after, most });
        await tell({ after, most });
        if (end === null) return 0;
        after = end;
        return most;
      }, sweepBatches);
    },
  };
}

/** Back-Channel Logout 1.0 §2.5; throws to be retried. */
async function sendLogout(deps: Deps, ended: Ended, signal: AbortSignal): Promise<void> {
  const application = await findApplication(deps.db, { id: ended.applicationId });
  if (!application?.backchannel_logout_uri || application.status !== applicationStatus.active) return;
  const sign = await deps.signingKeys.signer(application.id_token_signed_response_alg);
  const now = nowSeconds(deps.clock);
  const token = await sign(
    {
      iss: deps.baseUrl,
      sub: `${ended.userId}`,
      aud: application.client_id,
      iat: now,
      exp: now + logoutTokenSeconds,
      jti: randomString(32),
      sid: ended.sid,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    },
    'logout+jwt',
  );
  const answer = await sendGuarded(
    {
      url: application.backchannel_logout_uri,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'svc-logout/1.0' },
      body: `logout_token=${token}`,
      timeoutMs,
      signal,
    },
    { allowPrivate: deps.allowPrivate },
  );
  if (answer.status < 200 || answer.status >= 300)
    throw new Error(`application ${application.id} answered a logout notification with ${answer.status}`);
}
