import { z } from 'zod';
import {
  endAllowances,
  findAllowance,
  holdAllowance,
  limitAllowance,
  limitHeldAllowance,
  openAllowance,
  spentOf as spentOfAllowances,
} from '../identity/store/application-keys.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { inBatches } from '../platform/db/pages.ts';
import { grantsTag } from './announcement-tags.ts';
import type { OAuthContext } from './context.ts';
import { type Scope, scopesOf } from './scopes.ts';
import type { NewSpending } from './store/approve.ts';
import { findConsent, holdAgreedApplication, holdConsent, setSpending } from './store/consents.ts';
import type { ConsentRow } from './store/tables.ts';

const spendingWindows = ['total', 'month'] as const;
type SpendingWindow = (typeof spendingWindows)[number];

/** What a user lets an application spend. */
export interface Spending {
  /** In quota units. */
  limit: number;
  window: SpendingWindow;
}

/** Like a key's quota; 0 allows nothing for now. */
export const spendingFields = {
  spending_limit: z.number().int().min(0).max(1e15).describe('In quota units (500,000 = 1 USD)'),
  spending_window: z.enum(spendingWindows).describe('In total, or per calendar month (UTC)'),
};

type Limited = Pick<ConsentRow, 'id' | 'spending_window'>;

/** Each month has its own key: nothing is reset, and running requests are charged to the previous one. */
export function allowanceName({ id, spending_window }: Limited, nowSeconds: number): string {
  if (spending_window !== 'month') return `consent:${id}`;
  return `consent:${id}:${new Date(nowSeconds * 1000).toISOString().slice(0, 7)}`;
}

export interface OpenAllowance {
  consent: Limited;
  keyId: number;
  name: string;
}

/** The key that represents an application's current allowance; null if there is none, or no longer. */
export async function allowanceOf(
  { db, clock }: Pick<OAuthContext, 'db' | 'clock'>,
  userId: number,
  application: { id: number; name: string },
): Promise<OpenAllowance | null> {
  const now = nowSeconds(clock);
  const known = await findConsent(db, userId, application.id);
  if (!lets(known)) return null;
  const keyId = await findAllowance(db, allowanceName(known, now));
  if (keyId !== null) return { consent: known, keyId, name: allowanceName(known, now) };
  return db.transaction().execute(async (tx) => {
    // Both rows are locked: a concurrent revocation or suspension then finds the key and ends it.
    const consent = await holdConsent(tx, userId, application.id);
    if (!lets(consent) || !(await holdAgreedApplication(tx, consent))) return null;
    const name = allowanceName(consent, now);
    const opened = await openAllowance(tx, { name, userId, application, limit: consent.spending_limit }, now);
    return { consent, keyId: opened, name };
  });
}

const lets = (consent: ConsentRow | null): consent is ConsentRow & { spending_limit: number } =>
  consent !== null && consent.spending_limit !== null && paysBy(consent.scopes);

const pays: Scope = 'models:use';
export const paysBy = (scopes: string): boolean => scopesOf(scopes).includes(pays);

/**
 * Sets the limit of an existing consent, keeping what is left; false if there is none. If the window changes, the
 * previous one is emptied.
 */
export async function changeSpending(
  deps: Pick<OAuthContext, 'db' | 'clock' | 'announcements' | 'recallKey'>,
  userId: number,
  applicationId: number,
  { limit, window }: Spending,
): Promise<boolean> {
  const changed = await deps.db.transaction().execute(async (tx) => {
    const consent = await holdConsent(tx, userId, applicationId);
    if (!consent) return null;
    await setSpending(tx, consent.id, { spending_limit: limit, spending_window: window });
    const limited: number[] = [];
    for (const allowed of limitsOf(consent, { limit, window }, nowSeconds(deps.clock))) {
      const keyId = await limitAllowance(tx, allowed.name, allowed.limit);
      if (keyId !== null) limited.push(keyId);
    }
    return limited;
  });
  if (!changed) return false;
  await announceLimits(deps, userId, changed);
  return true;
}

/** The limits of a consent's allowances once it has this one: of the window it had, nothing is left. */
function limitsOf(
  consent: Limited,
  { limit, window }: Spending,
  nowSeconds: number,
): { name: string; limit: number }[] {
  const before = allowanceName(consent, nowSeconds);
  const after = allowanceName({ id: consent.id, spending_window: window }, nowSeconds);
  return [{ name: after, limit }, ...(before === after ? [] : [{ name: before, limit: 0 }])];
}

/** The limit as part of an approval. */
export const asApproved = (spending: Spending, nowSeconds: number): Spending & NewSpending => ({
  ...spending,
  limits: (consent) =>
    limitsOf(consent, spending, nowSeconds).map(({ name, limit }) => ({
      hold: { statement: holdAllowance, values: [name] },
      limit: (keyId) => ({ statement: limitHeldAllowance, values: [limit, keyId] }),
    })),
});

export async function announceLimits(
  deps: Pick<OAuthContext, 'announcements' | 'recallKey'>,
  userId: number,
  keyIds: number[],
): Promise<void> {
  await deps.announcements.changed(grantsTag(userId));
  // Unused allotments of the old limit are returned by all processes.
  for (const keyId of keyIds) await deps.recallKey(userId, keyId);
}

/** What was spent in the window of each limited consent. */
export async function spentIn(
  { db, clock }: Pick<OAuthContext, 'db' | 'clock'>,
  consents: (Limited & Pick<ConsentRow, 'spending_limit'>)[],
): Promise<Map<number, number>> {
  const now = nowSeconds(clock);
  const limited = consents.filter(({ spending_limit }) => spending_limit !== null);
  const spent = await spentOfAllowances(
    db,
    limited.map((consent) => allowanceName(consent, now)),
  );
  return new Map(limited.map((consent) => [consent.id, spent.get(allowanceName(consent, now)) ?? 0]));
}

/** Ends what a suspended or deleted application started for its users, and its allowances. */
export async function endSpending(
  { db, announcements }: Pick<OAuthContext, 'db' | 'announcements'>,
  applicationId: number,
): Promise<void> {
  await inBatches(async (most) => {
    const ended = await endAllowances(db, applicationId, { most });
    for (const id of ended) await announcements.changed(`key:${id}`);
    return ended.length;
  });
}

/** This scope requires a limit, unless one was set before. */
export function requireSpending(scopes: readonly Scope[], given: Spending | null, before: ConsentRow | null): void {
  if (!scopes.includes(pays) || given || (before && before.spending_limit !== null)) return;
  throw new AppError('invalid_request', 'spending_limit is required: the maximum amount the application may spend.', {
    param: 'spending_limit',
  });
}
