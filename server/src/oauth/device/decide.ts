import { codeWindowMs, countCodeTry } from '../../identity/factors/code-tries.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { limitKeyOfIp } from '../../platform/http/client-ip.ts';
import { agreedSpending, type Decision, describeAsked, mergedScopes, requireFactor } from '../authorize.ts';
import type { OAuthContext } from '../context.ts';
import { allowedNow, joinScopes, operatorScopes, within } from '../scopes.ts';
import { announceLimits } from '../spending.ts';
import { applicationStatus, requireEnabled, requireVerified, suspended, takesPart } from '../status.ts';
import { findApplicationNow } from '../store/applications.ts';
import { approvingDevice, denyDevice, findByUserCode, grantingDevice } from '../store/device-codes.ts';
import { deviceGrant, readUserCode, shownUserCode } from './codes.ts';

/** Where a code is typed: both counters limit wrong codes. */
export interface Typed {
  sessionId: number;
  ip: string;
}

/**
 * RFC 8628 §5.1: an attacker who guesses a code could sign somebody's device in to their own account. Sessions are
 * easily created, so IP addresses are limited too, at a higher number for shared ones.
 */
const mostWrong = { session: 10, address: 30 };

const noCode = (): AppError => new AppError('not_found', 'This code does not exist or has expired.');

/** What the page shows of a device's request. */
export async function describeDevice(deps: OAuthContext, userId: number, where: Typed, typed: string) {
  const { row, application, scopes } = await askedBy(deps, where, typed);
  return {
    user_code: shownUserCode(readUserCode(typed)!),
    expires_at: row.expires_at,
    ...(await describeAsked(deps, userId, { application, scopes, resources: [] })),
  };
}

/** Records the user's answer, once per code; the device learns it with its next poll. */
export async function decideDevice(deps: OAuthContext, decision: Decision, where: Typed, typed: string): Promise<void> {
  const { row, application, scopes } = await askedBy(deps, where, typed);
  const { userId, origin } = decision;
  const entry = { application_id: application.id, user_id: userId };
  if (!decision.approved) {
    if (!(await denyDevice(deps.db, row, userId))) throw noCode();
    deps.audit.record('authorization_denied', origin, { ...entry, metadata: { grant_type: deviceGrant } });
    return;
  }
  await requireFactor(deps, decision, { application, scopes });
  const spending = await agreedSpending(deps, decision, { application, scopes });
  const scope = joinScopes(scopes);
  const approved = await deps.approvals.approve(
    {
      ...entry,
      epoch: application.epoch,
      created_at: nowSeconds(deps.clock),
      sign_in: row.openid === 1 ? { auth_time: decision.signedInAt } : null,
      spend: approvingDevice(row, userId),
      spending,
      grant: (signIn) => grantingDevice(row, scope, signIn),
    },
    (existing) => mergedScopes(existing, scopes, application.epoch),
    decision.sessionId,
  );
  if (approved === 'session_ended') throw new AppError('not_logged_in', 'You are not logged in.');
  if (approved === 'spent') throw noCode();
  deps.audit.record('authorization_granted', origin, {
    ...entry,
    metadata: { scopes: scope, grant_type: deviceGrant, ...(spending && { spending: decision.spending }) },
  });
  if (approved.limited) await announceLimits(deps, userId, approved.limited);
  if (approved.consent !== null)
    deps.webhooks.notify(application, 'consent_granted', userId, { scopes: approved.consent });
}

/** The request behind an unanswered code. */
async function askedBy(deps: OAuthContext, where: Typed, typed: string) {
  requireEnabled(deps.options);
  const code = readUserCode(typed);
  const row = await counted(deps, where, async () => (code ? findByUserCode(deps.db, sha256Hex(code)) : null));
  if (row.approved !== null || row.expires_at <= nowSeconds(deps.clock)) throw noCode();
  const application = await findApplicationNow(deps.db, { id: row.application_id });
  if (!application || application.epoch !== row.epoch || !takesPart(deps.options, application)) throw noCode();
  if (application.status === applicationStatus.suspended) throw suspended();
  requireVerified(deps.options, application);
  const allowed = allowedNow(application.allowed_scopes, operatorScopes(deps.options));
  return { row, application, scopes: within(row.scope, allowed) };
}

/** Refunds the attempt if the code was right. */
async function counted<T>(
  { shared }: OAuthContext,
  { sessionId, ip }: Typed,
  look: () => Promise<T | null>,
): Promise<T> {
  const counters = [
    { key: `device-code:session:${sessionId}`, most: mostWrong.session },
    { key: `device-code:address:${limitKeyOfIp(ip)}`, most: mostWrong.address },
  ];
  for (const { key, most } of counters) await countCodeTry(shared, key, most);
  const found = await look();
  if (found === null) throw noCode();
  // Decremented instead of deleted: one's own code must not reset the counter.
  await Promise.all(counters.map(({ key }) => shared.increment(key, -1, codeWindowMs).catch(() => {})));
  return found;
}
