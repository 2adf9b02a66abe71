import type { Origin } from '../identity/audit/log.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import { announceApplicationChange } from './announcement-tags.ts';
import { recordApplication } from './application.ts';
import type { AuditEvent } from './audit.ts';
import type { OAuthContext } from './context.ts';
import { endAccess } from './end-access.ts';
import { unverified } from './status.ts';
import { activateApplication, changeApplication, findApplication, suspendApplication } from './store/applications.ts';
import type { ApplicationRow } from './store/tables.ts';

export interface Administrator {
  userId: number;
  origin: Origin;
}

type Action = (
  deps: OAuthContext,
  admin: Administrator,
  row: ApplicationRow,
  now: number,
) => Promise<ApplicationRow | null>;

interface Rule {
  event: AuditEvent;
  /** Null if there was nothing to change: actions are idempotent. */
  act: Action;
  metadata?: Record<string, unknown>;
}

const outdated = () => new AppError('conflict', 'The application has changed in the meantime. Reload and try again.');

/** Only as it was looked at: its owner may change it at the same moment. */
async function verify(db: Db, userId: number, row: ApplicationRow, now: number): Promise<ApplicationRow | null> {
  const change = { is_verified: 1, verified_by: userId, verified_at: now, updated_at: now };
  const verified = await changeApplication(db, row.id, change, row.updated_at);
  if (verified) return verified;
  // Another administrator may have been faster.
  if ((await findApplication(db, { id: row.id }))?.is_verified === 1) return null;
  throw outdated();
}

/** What an administrator can do to an application. */
const rules = {
  verify: {
    event: 'app_verified',
    act: async ({ db }, { userId }, row, now) => (row.is_verified === 1 ? null : verify(db, userId, row, now)),
  },
  unverify: {
    event: 'app_updated',
    metadata: { changed_fields: ['is_verified'] },
    act: async ({ db }, _, row, now) =>
      row.is_verified === 0 ? null : changeApplication(db, row.id, { ...unverified, updated_at: now }),
  },
  suspend: { event: 'app_suspended', act: ({ db }, _, row, now) => suspendApplication(db, row.id, now) },
  activate: { event: 'app_activated', act: ({ db }, _, row, now) => activateApplication(db, row.id, now) },
} satisfies Record<string, Rule>;

export type AdminAction = keyof typeof rules;
export const adminActions = Object.keys(rules) as AdminAction[];

export const administer = (
  deps: OAuthContext,
  admin: Administrator,
  action: AdminAction,
  seen: { id: number; seenAt?: number },
): Promise<ApplicationRow> => carryOut(deps, admin, rules[action], seen);

/** Calls per hour for its tokens; 0 for no limit. */
export const limitCalls = (
  deps: OAuthContext,
  admin: Administrator,
  id: number,
  rateLimit: number,
): Promise<ApplicationRow> =>
  carryOut(
    deps,
    admin,
    {
      event: 'app_updated',
      metadata: { changed_fields: ['rate_limit'] },
      act: async ({ db }, _, row, now) =>
        row.rate_limit === rateLimit ? null : changeApplication(db, row.id, { rate_limit: rateLimit, updated_at: now }),
    },
    { id },
  );

async function carryOut(
  deps: OAuthContext,
  admin: Administrator,
  rule: Rule,
  { id: applicationId, seenAt }: { id: number; seenAt?: number },
): Promise<ApplicationRow> {
  const before = await findApplication(deps.db, { id: applicationId });
  if (!before) throw new AppError('not_found', 'There is no such application.');
  // The application was changed after the administrator looked at it.
  if (seenAt !== undefined && seenAt !== before.updated_at) throw outdated();
  const row = await rule.act(deps, admin, before, nowSeconds(deps.clock));
  await announceApplicationChange(deps, applicationId);
  if (rule.event === 'app_suspended') await endAccess(deps, applicationId);
  if (!row) return (await findApplication(deps.db, { id: applicationId })) ?? before;
  const metadata = { admin_user_id: admin.userId, ...rule.metadata };
  recordApplication(deps, rule.event, admin, { before, after: row, metadata });
  return row;
}
