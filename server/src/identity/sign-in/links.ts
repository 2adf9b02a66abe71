import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { login } from '../accounts.ts';
import type { Origin } from '../audit/log.ts';
import { methodsOf } from '../factors/second-factor.ts';
import { requireRecentFactor } from '../factors/step-up.ts';
import { hasPassword } from '../passwords.ts';
import type { ProvenUser } from '../sessions.ts';
import type { FoundSession } from '../store/sessions.ts';
import { findUserRow, toUser, type UserRow } from '../store/users.ts';
import { statuses } from '../user.ts';
import type { SignInContext } from './context.ts';
import { tellLinked } from './finish.ts';
import { findLink, type LinkRow } from './store/attempts.ts';
import { keepGrant } from './store/grants.ts';
import { identitiesOf, takeLink } from './store/identities.ts';
import { findProvider, type Provider } from './store/providers.ts';

export interface LinkRequest {
  token: string;
  browserSecret: string;
  /** The session in this browser. */
  visitor: FoundSession | null;
}

interface Pending {
  link: LinkRow;
  provider: Provider;
  row: UserRow;
}

async function pendingLink(room: SignInContext, { token, browserSecret }: LinkRequest): Promise<Pending> {
  const wanted = { token_hash: sha256Hex(token), browser_hash: sha256Hex(browserSecret) };
  const link = await findLink(room.db, wanted, nowSeconds(room.clock));
  const [provider, row] = link
    ? await Promise.all([findProvider(room.db, link.provider_id), findUserRow(room.db, link.user_id)])
    : [];
  if (!link || !provider?.enabled || row?.status !== statuses.enabled)
    throw new AppError('not_found', 'This sign-in has expired. Sign in again.');
  return { link, provider, row };
}

/** For the page that asks whether two accounts are the same person's. */
export async function showLink(room: SignInContext, request: LinkRequest) {
  const { link, provider, row } = await pendingLink(room, request);
  const others = await identitiesOf(room.db, row.id);
  return {
    provider: { slug: provider.slug, name: provider.name },
    account: link.label,
    username: row.username,
    has_password: hasPassword(row.password_hash),
    second_factor: (await methodsOf(room.db, row.id)).length > 0,
    logged_in: request.visitor?.user.id === row.id,
    return_to: link.return_to,
    other_ways: others.filter(({ enabled }) => enabled === 1).map(({ slug, name }) => ({ slug, name })),
  };
}

/** An address alone connects nothing: it may have a new owner. The account's session or password is required. */
export async function confirmLink(
  room: SignInContext,
  request: LinkRequest,
  { password, ip, origin }: { password: string | undefined; ip: string; origin: Origin },
): Promise<{ proven: ProvenUser; returnTo: string }> {
  const { link, provider, row } = await pendingLink(room, request);
  const { visitor } = request;
  let proven: ProvenUser = { user: toUser(row), passwordHash: row.password_hash };
  // As from the account page.
  if (visitor?.user.id === row.id)
    await requireRecentFactor(room, { user: visitor.user, sessionId: visitor.session.id });
  else {
    if ((await methodsOf(room.db, row.id)).length > 0)
      throw new AppError(
        'forbidden',
        'This account has a second factor. Log in to it first, then connect the accounts.',
      );
    if (password === undefined)
      throw new AppError('missing_required_parameter', 'password is required.', { param: 'password' });
    proven = await login(room, { username: row.username, password, ip }).catch((error) => {
      if (!(error instanceof AppError && error.code === 'wrong_credentials')) throw error;
      const target = { type: 'user', id: row.id };
      room.audit.record({ action: 'login_failed', actor: null, target, metadata: { reason: error.code }, origin });
      throw new AppError('invalid_value', 'The password is wrong.', { param: 'password' });
    });
  }
  const made = await takeLink(room.db, link, nowSeconds(room.clock));
  if (!made) throw new AppError('conflict', 'This account is already connected. Sign in again.');
  if (link.grant_sealed !== '') await keepGrant(room.db, link, link.grant_sealed);
  tellLinked(room, provider, made.id, row.id, origin);
  return { proven, returnTo: link.return_to };
}
