import { t } from '../../language/words.ts';
import type { User } from '../../session.ts';

export const roleNames: Record<string, string> = { 1: t('User'), 10: t('Administrator'), 100: t('Root') };

export const roleName = (role: number): string => roleNames[role] ?? t('Role {role}', { role });

/** The only role that may give credits to itself. */
export const rootRole = 100;

/** A deleted user's row is kept because the ledger references it; the service renames it to this. */
export const isDeleted = ({ id, username, status }: Pick<User, 'id' | 'username' | 'status'>): boolean =>
  status === 2 && username === `deleted-${id}`;
