import { nowSeconds } from '../../lib/clock.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { randomString } from '../../lib/ids.ts';
import type { Origin } from '../audit/log.ts';
import { notifyOwner } from '../notices.ts';
import type { ProvenUser } from '../sessions.ts';
import { findUserRow, findVerified, toUser } from '../store/users.ts';
import { statuses, type User } from '../user.ts';
import { attemptBegan } from './begin.ts';
import { domainAllowed, type Person, personOf } from './claims.ts';
import type { SignInContext } from './context.ts';
import { exchange } from './exchange.ts';
import { SignInFault } from './fault.ts';
import { labelOf, signUp } from './sign-up.ts';
import { type AttemptRow, insertLink, takeAttempt } from './store/attempts.ts';
import { keepGrant } from './store/grants.ts';
import { type Account, findIdentity, insertIdentity, setMappedRole, touchIdentity } from './store/identities.ts';
import type { Provider } from './store/providers.ts';
import { skewSeconds } from './upstreams.ts';

export interface Callback {
  /** The query string with its question mark. */
  search: string;
  state: string;
  browserSecret: string;
  /** The user logged in in this browser. */
  sessionUserId: number | null;
  origin: Origin;
}

export type Outcome =
  | { kind: 'signed_in'; proven: ProvenUser; returnTo: string }
  | { kind: 'linked'; returnTo: string }
  /** An account with this address exists: its owner may connect the two with this token. */
  | { kind: 'asks'; token: string };

/** Long enough to look up a password. */
const linkSeconds = 900;

export async function takeAttemptBack(
  room: SignInContext,
  provider: Provider,
  callback: Callback,
): Promise<AttemptRow> {
  const attempt = await takeAttempt(
    room.db,
    {
      state_hash: sha256Hex(callback.state),
      provider_id: provider.id,
      browser_hash: sha256Hex(callback.browserSecret),
    },
    nowSeconds(room.clock),
  );
  if (!attempt) throw new SignInFault('expired');
  return attempt;
}

export async function finishSignIn(
  room: SignInContext,
  provider: Provider,
  attempt: AttemptRow,
  callback: Callback,
): Promise<Outcome> {
  const { claims, grant } = await exchange(room, provider, callback);
  const person = personOf(provider, claims);
  refuseStrangers(provider, person);
  const account = { provider_id: provider.id, issuer: provider.issuer, subject: person.subject };
  const outcome =
    attempt.link_user_id === null
      ? await letInOrAsk(room, provider, attempt, { person, account, grant }, callback)
      : await linkToSelf(room, provider, attempt, { person, account }, callback);
  if (grant !== '' && outcome.kind !== 'asks') await keepGrant(room.db, account, grant);
  return outcome;
}

/** A returning user, and their external account. */
interface Came {
  person: Person;
  account: Account;
}

async function letInOrAsk(
  room: SignInContext,
  provider: Provider,
  attempt: AttemptRow,
  { person, account, grant }: Came & { grant: string },
  callback: Callback,
): Promise<Outcome> {
  const identity = await findIdentity(room.db, account);
  if (identity) {
    await touchIdentity(room.db, identity.id, labelOf(person), nowSeconds(room.clock));
    return letIn(room, provider, identity.user_id, person, attempt, callback.origin);
  }
  const owner = person.emailVerified ? await findVerified(room.db, person.email) : null;
  if (owner) return askForLink(room, attempt, { person, account, grant }, owner.id);
  if (!provider.allowSignUp) throw new SignInFault('sign_up_closed');
  const user = await signUp(room, provider, person);
  // Two browsers returned at once: the other one created the user.
  const userId = user?.id ?? (await findIdentity(room.db, account))?.user_id;
  if (userId === undefined)
    throw new SignInFault('expired', 'the account was connected and disconnected in the meantime');
  if (user) tellRegistered(room, provider, user, callback.origin);
  return letIn(room, provider, userId, person, attempt, callback.origin);
}

/** On every sign-in, as people leave companies. */
function refuseStrangers(provider: Provider, person: Person): void {
  if (provider.emailDomains.length === 0) return;
  if (!person.emailVerified) throw new SignInFault('email_not_verified');
  if (!domainAllowed(provider, person.email)) throw new SignInFault('domain_not_allowed');
}

async function letIn(
  room: SignInContext,
  provider: Provider,
  userId: number,
  { role, provenAt }: Person,
  attempt: AttemptRow,
  origin: Origin,
): Promise<Outcome> {
  if (role !== null) await applyRole(room, provider, userId, role, origin);
  const row = await findUserRow(room.db, userId);
  if (!row || row.status !== statuses.enabled) throw new SignInFault('account_disabled');
  const proven = { user: toUser(row), passwordHash: row.password_hash };
  // Clocks differ: what seems to be shortly before they were sent there was for this sign-in. Otherwise an application
  // that requires a new login would get none from a provider whose clock is behind.
  const earlier = provenAt !== null && provenAt < attemptBegan(attempt) - skewSeconds ? { provenAt } : {};
  return { kind: 'signed_in', proven: { ...proven, ...earlier }, returnTo: attempt.return_to };
}

async function applyRole(
  room: SignInContext,
  provider: Provider,
  userId: number,
  role: number,
  origin: Origin,
): Promise<void> {
  const before = await setMappedRole(room.db, userId, role);
  if (before === null) return;
  await room.announcements.changed(`user:${userId}`);
  room.audit.record({
    action: 'user_updated',
    actor: `identity provider ${provider.slug}`,
    target: { type: 'user', id: userId },
    before: { role: before },
    after: { role },
    origin,
  });
}

function tellRegistered({ audit }: SignInContext, { slug }: Provider, { id, role }: User, origin: Origin): void {
  const target = { type: 'user', id };
  audit.record({ action: 'user_registered', actor: id, target, after: { role }, metadata: { provider: slug }, origin });
}

async function askForLink(
  room: SignInContext,
  attempt: AttemptRow,
  { person, account, grant }: Came & { grant: string },
  userId: number,
): Promise<Outcome> {
  const token = randomString(43);
  await insertLink(room.db, {
    token_hash: sha256Hex(token),
    browser_hash: attempt.browser_hash,
    user_id: userId,
    ...account,
    label: labelOf(person),
    return_to: attempt.return_to,
    expires_at: nowSeconds(room.clock) + linkSeconds,
    grant_sealed: grant,
  });
  return { kind: 'asks', token };
}

/** From the account page: the same user must still be logged in. */
async function linkToSelf(
  room: SignInContext,
  provider: Provider,
  attempt: AttemptRow,
  { person, account }: Came,
  { sessionUserId, origin }: Callback,
): Promise<Outcome> {
  const userId = attempt.link_user_id!;
  if (sessionUserId !== userId) throw new SignInFault('not_logged_in');
  const now = nowSeconds(room.clock);
  const made = await insertIdentity(room.db, {
    ...{ ...account, user_id: userId, label: labelOf(person), created_at: now, last_used_at: now },
  });
  if (made) tellLinked(room, provider, made.id, userId, origin);
  else await touchOwn(room, account, person, userId);
  return { kind: 'linked', returnTo: attempt.return_to };
}

/** Connecting an already connected account counts as a sign-in. */
async function touchOwn(room: SignInContext, account: Account, person: Person, userId: number): Promise<void> {
  const identity = await findIdentity(room.db, account);
  if (identity?.user_id !== userId) throw new SignInFault('already_linked');
  await touchIdentity(room.db, identity.id, labelOf(person), nowSeconds(room.clock));
}

export function tellLinked(
  room: SignInContext,
  { slug }: Pick<Provider, 'slug'>,
  id: number,
  userId: number,
  origin: Origin,
): void {
  const target = { type: 'identity', id, name: slug };
  notifyOwner(room, userId, 'identity');
  room.audit.record({ action: 'identity_linked', actor: userId, target, metadata: { provider: slug }, origin });
}
