import { AppError } from '../../lib/errors.ts';
import { type MaybePromise, thenMaybe } from '../../lib/maybe-promise.ts';
import type { CacheSync } from '../../platform/shared/cache-sync.ts';
import type { AccountDeps } from '../accounts.ts';
import { invalidatedLookup } from '../announcements.ts';
import { roles, type User } from '../user.ts';
import { methodsOf } from './second-factor.ts';

type Deps = Pick<AccountDeps, 'db' | 'options'>;

/** Who has a second factor, cached: if required of administrators, it is checked on each of their requests. */
export function openFactorLookup(deps: Pick<AccountDeps, 'db' | 'clock' | 'announcements'> & { cacheSync: CacheSync }) {
  const cache = invalidatedLookup<{ userId: number; has: boolean }>({
    ...deps,
    max: 10_000,
    load: async (id) => ({ userId: Number(id), has: (await methodsOf(deps.db, Number(id))).length > 0 }),
    tagsOf: ({ userId }) => [factorTag(userId)],
  });
  return (userId: number): MaybePromise<boolean> => thenMaybe(cache.get(`${userId}`), (known) => known?.has === true);
}

const factorTag = (userId: number): string => `factors:${userId}`;

/** Call after a factor was added or removed. */
export const factorsChanged = (deps: Pick<AccountDeps, 'announcements'>, userId: number): Promise<void> =>
  deps.announcements.changed(factorTag(userId));

export const isFactorRequired = ({ options }: Deps, { role }: Pick<User, 'role'>): boolean =>
  options.get('AdminSecondFactor') && role >= roles.administrator;

/** Administrators without one keep access to their own account, to set it up. */
export const mayAdminister = (
  deps: Deps,
  hasFactor: ReturnType<typeof openFactorLookup>,
  user: User,
): boolean | Promise<boolean> => !isFactorRequired(deps, user) || hasFactor(user.id);

export const factorRequired = (): AppError =>
  new AppError('second_factor_required', 'Administrators must use a second factor. Set one up on your account page.', {
    body: { code: 'second_factor_required' },
  });

/** An administrator who requires it of others must have one, and so is not locked out. */
export async function requireOwnFactor(
  { db }: Deps,
  { id }: Pick<User, 'id'>,
  { key, value }: { key: string; value: unknown },
): Promise<void> {
  if (key !== 'AdminSecondFactor' || `${value}` !== 'true') return;
  if ((await methodsOf(db, id)).length === 0)
    throw new AppError('conflict', 'Set up your own second factor first. Otherwise you would lock yourself out.');
}
