import { nowSeconds } from '../../lib/clock.ts';
import { randomString } from '../../lib/ids.ts';
import { noPassword } from '../passwords.ts';
import { roles, type User } from '../user.ts';
import type { Person } from './claims.ts';
import type { SignInContext } from './context.ts';
import { insertMember } from './store/identities.ts';
import type { Provider } from './store/providers.ts';

const mostCharacters = 32;
/** Suffixes for taken names; random after a few, since a whole company may share first names. */
const counted = [2, 3, 4, 5];

/** The rest of an overlong name is ignored. */
const mostLookedAt = 200;

const plainName = (name: string): string =>
  withoutEdges(
    name
      .slice(0, mostLookedAt)
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[^A-Za-z0-9_.-]+/g, '-'),
  ).slice(0, mostCharacters - 9);

function withoutEdges(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && '-.'.includes(text[from]!)) from += 1;
  while (to > from && '-.'.includes(text[to - 1]!)) to -= 1;
  return text.slice(from, to);
}

/** Suggestions in the characters of usernames. */
export function usernamesFor(names: readonly string[]): string[] {
  const [plain = 'user'] = names.map(plainName).filter((name) => name.length >= 3);
  return [plain, ...counted.map((count) => `${plain}-${count}`), `${plain}-${randomString(8).toLowerCase()}`];
}

/** Null if the external account was connected meanwhile. */
export async function signUp(room: SignInContext, provider: Provider, person: Person): Promise<User | null> {
  const now = nowSeconds(room.clock);
  const identity = {
    provider_id: provider.id,
    issuer: provider.issuer,
    subject: person.subject,
    label: labelOf(person),
    created_at: now,
    last_used_at: now,
  };
  for (const username of usernamesFor(person.names)) {
    const made = await insertMember(
      room.db,
      {
        username,
        password_hash: noPassword(),
        display_name: person.displayName || username,
        email: person.email,
        email_verified: Number(person.emailVerified),
        avatar_url: person.avatarUrl,
        role: person.role ?? roles.user,
        quota: room.options.get('QuotaForNewUser'),
        created_at: now,
      },
      identity,
    );
    if (made === 'account') return null;
    if (made !== 'name') return made;
  }
  throw new Error('no username is available');
}

/** How people recognise an account; made of validated claims, since it is stored and shown. */
export const labelOf = ({ email, displayName, subject }: Person): string => email || displayName || subject;
