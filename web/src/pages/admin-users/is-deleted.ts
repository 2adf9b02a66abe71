import type { User } from '../../session.ts';

/** The row that stays of a deleted user, for the books; the service gives it this name. */
export const isDeleted = ({ id, username, status }: Pick<User, 'id' | 'username' | 'status'>): boolean =>
  status === 2 && username === `deleted-${id}`;
