import { AppError } from '../../lib/errors.ts';
import type { AccountDeps } from '../accounts.ts';
import { roles, type User } from '../user.ts';
import { methodsOf } from './second-factor.ts';

type Deps = Pick<AccountDeps, 'db' | 'options'>;

export const isRequired = ({ options }: Deps, { role }: Pick<User, 'role'>): boolean =>
  options.get('AdminSecondFactor') && role >= roles.administrator;

/** Whoever has none keeps their own account, where one is set up. */
export const mayAdminister = (deps: Deps, user: User): boolean | Promise<boolean> =>
  !isRequired(deps, user) || methodsOf(deps.db, user.id).then((methods) => methods.length > 0);

export const factorRequired = (): AppError =>
  new AppError('second_factor_required', 'Administrators need a second factor here. Set one up in your account.', {
    body: { code: 'second_factor_required' },
  });

/** Whoever asks it of others has one, and is not locked out by it. */
export async function requireOwnFactor(
  { db }: Deps,
  { id }: Pick<User, 'id'>,
  { key, value }: { key: string; value: unknown },
): Promise<void> {
  if (key !== 'AdminSecondFactor' || `${value}` !== 'true') return;
  if ((await methodsOf(db, id)).length === 0)
    throw new AppError(
      'conflict',
      'Set up a second factor of your own first: without one you would lock yourself out.',
    );
}
