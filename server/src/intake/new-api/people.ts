import { roles, statuses } from '../../identity/user.ts';
import type { CodeIntake, KeyIntake, PersonIntake } from '../imported-data.ts';
import type { RedemptionRow, TokenRow, UserRow } from './rows.ts';

/** Names and addresses may change; the invitation code does not. */
const idOf = ({ id, aff_code }: UserRow): string => `${id} ${aff_code}`;

/** Owners by their id there; deleted users have none. */
export const ownersOf = (users: readonly UserRow[]): Map<number, string> =>
  new Map(users.map((user) => [user.id, idOf(user)]));

const deletedStatus = 3;
export const isThere = ({ status }: UserRow): boolean => status !== deletedStatus;

export const personOf = (user: UserRow): PersonIntake => ({
  foreignId: idOf(user),
  number: user.id,
  username: user.username,
  displayName: user.display_name || user.username,
  email: user.email,
  passwordHash: user.password,
  role: user.role >= roles.root ? roles.root : user.role >= roles.administrator ? roles.administrator : roles.user,
  status: user.status === 1 ? statuses.enabled : statuses.disabled,
  group: user.group || 'default',
  quota: user.quota,
});

const words = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

const exhausted = 4;

export function keyOf(token: TokenRow, owner: string, notes: string[]): KeyIntake {
  const name = token.name || `Key ${token.id}`;
  const note = (text: string): void => void notes.push(`key "${name}" (${token.id}): ${text}`);
  if (token.group !== '') note(`it was for the group ${token.group}; here it uses the group of its user`);
  const models = words(token.model_limits_enabled ? token.model_limits : token.models);
  const none = token.model_limits_enabled && models.length === 0;
  if (none) note('it allowed no models, and is disabled here');
  return {
    secret: `sk-${token.key.replace(/^sk-/, '')}`,
    owner,
    name,
    // An exhausted key is refused here for lack of quota, until it gets more.
    status: !none && [1, exhausted].includes(token.status) ? 1 : 2,
    expiredTime: token.expired_time > 0 ? token.expired_time : -1,
    remainQuota: token.remain_quota,
    unlimited: token.unlimited_quota,
    models,
    allowedIps: words(token.allow_ips || token.subnet),
  };
}

const unspent = 1;

export const codesOf = (rows: readonly RedemptionRow[], owners: ReadonlyMap<number, string>): CodeIntake[] =>
  rows
    .filter(({ status }) => status === unspent)
    .map(({ key, user_id, quota, name, expired_time }) => ({
      ...{ code: key, owner: owners.get(user_id) ?? '', quota, note: name, expiresAt: expired_time },
    }));
