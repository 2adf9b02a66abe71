import { type Clock, nowSeconds } from '../lib/clock.ts';
import { randomString } from '../lib/ids.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Announcements } from './announcements.ts';
import { nowhere, rowOf } from './audit/log.ts';
import { insertAudit } from './audit/store.ts';
import { factorsChanged } from './factors/required.ts';
import { hashPassword } from './passwords.ts';
import { deleteFactors } from './store/factors.ts';
import { changeUser, findUserByName, insertUser } from './store/users.ts';
import { statuses } from './user.ts';

/** On PostgreSQL the service may be running meanwhile, with the user and their sessions in its caches. */
interface Deps {
  db: Db;
  clock: Clock;
  announcements: Announcements;
}

/** For an operator with shell access: creates an administrator, or resets one's password. Never lowers a role. */
export async function makeAdministrator(
  deps: Deps,
  wanted: { username: string; role: number; password?: string },
): Promise<{ existed: boolean; role: number; drawn: string | null }> {
  const drawn = wanted.password === undefined ? randomString(20) : null;
  const password_hash = await hashPassword(wanted.password ?? drawn!);
  const { username } = wanted;
  const user = await findUserByName(deps.db, username);
  const role = Math.max(wanted.role, user?.role ?? 0);
  let made: { id: number } | null = user;
  if (user) {
    await changeUser(deps.db, user.id, { role, password_hash, status: statuses.enabled });
    await deps.announcements.changed(`user:${user.id}`);
  } else {
    const created_at = nowSeconds(deps.clock);
    made = await insertUser(deps.db, {
      username,
      password_hash,
      display_name: username,
      email: '',
      role,
      quota: 0,
      created_at,
    });
  }
  const entry = {
    action: user ? 'user_updated' : 'user_created',
    actor: 'svc create-admin',
    target: { type: 'user', id: made?.id ?? null },
    before: user && { role: user.role, status: user.status },
    after: { role, status: statuses.enabled, password: 'changed' },
    origin: nowhere,
  };
  await insertAudit(deps.db, [rowOf(entry, nowSeconds(deps.clock))]);
  return { existed: user !== null, role, drawn };
}

/** For an operator with shell access: removes a user's second factors, root's too. False if the user does not exist. */
export async function removeFactorsAtTheMachine(deps: Deps, username: string): Promise<boolean> {
  const user = await findUserByName(deps.db, username);
  if (!user) return false;
  await deleteFactors(deps.db, user.id);
  await factorsChanged(deps, user.id);
  const entry = {
    action: 'factors_removed',
    actor: 'svc remove-factors',
    target: { type: 'user', id: user.id },
    after: { second_factors: 'removed' },
    origin: nowhere,
  };
  await insertAudit(deps.db, [rowOf(entry, nowSeconds(deps.clock))]);
  return true;
}
