import type { Configuration } from 'openid-client';
import { nowSeconds } from '../../lib/clock.ts';
import type { SignInContext } from './context.ts';
import { saidCode, wordsOf } from './fault.ts';
import { grantOf, type KeptGrant, openedGrant } from './kept-grant.ts';
import { findVouched, replaceGrant, type VouchedAccount } from './store/grants.ts';
import { findProviderBySlug, type Provider } from './store/providers.ts';
import { loadClient } from './upstreams.ts';

/*
 * Enterprise-managed authorization: a company's provider vouches for its users at other servers. A user's ID token is
 * exchanged (RFC 8693) for an assertion to one authorization server (ID-JAG), which issues a token for it.
 */

/** The recipient of an assertion, and the requested access. */
interface Wanted {
  /** The authorization server's issuer. */
  audience: string;
  /** The server a token is wanted for. */
  resource: string;
  scope?: string | undefined;
}

export interface Vouching {
  /** A provider that may vouch; else null. */
  provider(slug: string): Promise<{ slug: string; name: string } | null>;
  /** The user's account for vouching; null if no sign-in grant is kept. */
  accountOf(slug: string, userId: number): Promise<number | null>;
  /** Throws `VouchFault`. */
  assertionFor(slug: string, userId: number, wanted: Wanted): Promise<string>;
}

/** `sign_in_again`: the user has to sign in first. `refused`: the provider declined. `failed`: unknown reason. */
export class VouchFault extends Error {
  constructor(
    readonly code: 'no_provider' | 'sign_in_again' | 'refused' | 'failed',
    /** For the log and the provider's administrator; never contains a token. */
    readonly detail: string = code,
  ) {
    super(detail);
    this.name = 'VouchFault';
  }
}

/** An ID token that expires on the way is useless. */
const earlySeconds = 30;
/** Longer than a provider may take to renew, so that a dead process blocks nobody forever. */
const holdSeconds = 25;
const pollMs = 100;
const mostWaitMs = 15_000;
/** Genuine tokens have two or three kilobytes. */
const mostCharacters = 16 * 1024;

type Deps = Pick<SignInContext, 'db' | 'clock' | 'sealer' | 'upstreams'>;

export function openVouching(room: Deps): Vouching {
  const renewing = new Map<number, Promise<string>>();
  const vouching = async (slug: string): Promise<Provider | null> => {
    const provider = await findProviderBySlug(room.db, slug);
    return provider?.enabled && provider.vouches ? provider : null;
  };
  const found = async (slug: string, userId: number) => {
    const provider = await vouching(slug);
    return { provider, account: provider && (await findVouched(room.db, provider.id, userId)) };
  };
  return {
    provider: async (slug) => {
      const provider = await vouching(slug);
      return provider && { slug, name: provider.name };
    },
    accountOf: async (slug, userId) => (await found(slug, userId)).account?.id ?? null,
    assertionFor: async (slug, userId, wanted) => {
      const { provider, account } = await found(slug, userId);
      if (!provider) throw new VouchFault('no_provider');
      if (!account) throw new VouchFault('sign_in_again', 'no sign-in is stored');
      const upstream = await room.upstreams.of(provider).catch((error) => {
        throw new VouchFault('failed', wordsOf(error));
      });
      const under =
        renewing.get(account.id) ??
        freshIdToken(room, upstream, provider, userId).finally(() => renewing.delete(account.id));
      renewing.set(account.id, under);
      return traded(upstream, await under, wanted);
    },
  };
}

const isFresh = ({ clock }: Deps, { expiresAt }: KeptGrant): boolean => nowSeconds(clock) < expiresAt - earlySeconds;

/** The current token, or renewed by one process while the others wait. */
async function freshIdToken(room: Deps, upstream: Configuration, provider: Provider, userId: number): Promise<string> {
  for (let waitedMs = 0; waitedMs < mostWaitMs; waitedMs += pollMs) {
    const account = await findVouched(room.db, provider.id, userId);
    const grant = account && openedGrant(room, account.sealed);
    if (!grant) throw new VouchFault('sign_in_again', 'the stored sign-in has expired');
    if (isFresh(room, grant)) return grant.idToken;
    const now = nowSeconds(room.clock);
    if ((grant.heldUntil ?? 0) <= now) {
      const sealed = room.sealer.seal(JSON.stringify({ ...grant, heldUntil: now + holdSeconds }));
      const isOurs = await replaceGrant(room.db, account, sealed);
      const idToken = isOurs ? await renewed(room, upstream, { ...account, sealed }, grant) : null;
      if (idToken !== null) return idToken;
    }
    await Bun.sleep(pollMs);
  }
  throw new VouchFault('failed', 'another process is renewing the ID token and does not finish');
}

/** Null if it has ended, or the user signed in again. */
async function renewed(
  room: Deps,
  upstream: Configuration,
  held: VouchedAccount,
  grant: KeptGrant,
): Promise<string | null> {
  const end = async (why: string): Promise<never> => {
    await replaceGrant(room.db, held, '');
    throw new VouchFault('sign_in_again', why);
  };
  if (grant.refreshToken === undefined) return end('the ID token has expired and there is no refresh token');
  const { refreshTokenGrant } = await loadClient();
  const tokens = await refreshTokenGrant(upstream, grant.refreshToken).catch(async (error) => {
    if (saidCode(error) === 'invalid_grant') return end('the provider no longer accepts the refresh token');
    await replaceGrant(room.db, held, room.sealer.seal(JSON.stringify(grant)));
    throw new VouchFault('failed', wordsOf(error));
  });
  // OpenID Connect Core §12.2: a new ID token is optional, and must be of the same user.
  const claims = tokens.claims();
  if (!claims) return end('the provider issues no new ID token');
  if (claims.sub !== held.subject) return end('the provider issued the ID token of another user');
  const next = grantOf(tokens, grant);
  const isKept = await replaceGrant(room.db, held, room.sealer.seal(JSON.stringify(next)));
  return isKept ? next.idToken : null;
}

const idJag = 'urn:ietf:params:oauth:token-type:id-jag';

async function traded(upstream: Configuration, idToken: string, wanted: Wanted): Promise<string> {
  const { genericGrantRequest } = await loadClient();
  const { audience, resource, scope } = wanted;
  const answer = await genericGrantRequest(upstream, 'urn:ietf:params:oauth:grant-type:token-exchange', {
    requested_token_type: idJag,
    ...{ audience, resource, ...(scope !== undefined && { scope }) },
    subject_token: idToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
  }).catch((error) => {
    const code = saidCode(error);
    // Only a new sign-in could fix the ID token.
    if (code === 'invalid_grant') throw new VouchFault('sign_in_again', 'the provider does not accept its ID token');
    throw code === null ? new VouchFault('failed', wordsOf(error)) : new VouchFault('refused', `it says ${code}`);
  });
  // RFC 8693 §2.2.1: the type of something that is no access token.
  if (answer.issued_token_type !== idJag || answer.token_type !== 'n_a')
    throw new VouchFault('failed', 'the provider returned a token of another type');
  if (answer.access_token.length > mostCharacters)
    throw new VouchFault('failed', `its assertion is longer than ${mostCharacters} characters`);
  return answer.access_token;
}
