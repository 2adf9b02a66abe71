import type { Configuration } from 'openid-client';
import { nowSeconds } from '../../lib/clock.ts';
import { wordsOf } from './fault.ts';
import { grantOf, type KeptGrant, openedGrant } from './kept-grant.ts';
import type { SignInRoom } from './room.ts';
import { findVouched, replaceGrant, type VouchedAccount } from './store/grants.ts';
import { findProviderBySlug, type Provider } from './store/providers.ts';
import { loadClient } from './upstreams.ts';

/*
 * A company's provider vouches for its people at servers of others (enterprise-managed authorization): a user's ID token is
 * traded for an assertion to one authorization server (ID-JAG, by a token exchange, RFC 8693), which gives a token for it.
 */

/** Whom an assertion is for, and what is to be allowed by it. */
interface Wanted {
  /** The issuer of the authorization server. */
  audience: string;
  /** The server that a token is wanted for. */
  resource: string;
  scope?: string | undefined;
}

export interface Vouching {
  /** One that may vouch; null for others, and for none. */
  provider(slug: string): Promise<{ slug: string; name: string } | null>;
  /** By which account of the user it would; null where nothing is kept of a sign-in. */
  accountOf(slug: string, userId: number): Promise<number | null>;
  /** Throws `VouchFault`. */
  assertionFor(slug: string, userId: number, wanted: Wanted): Promise<string>;
}

/** `sign_in_again`: nothing can be done before the user has. `refused`: the provider does not want to. `failed`: it does not say. */
export class VouchFault extends Error {
  constructor(
    readonly code: 'no_provider' | 'sign_in_again' | 'refused' | 'failed',
    /** For the log, and for whoever looks after the provider; never holds a token. */
    readonly detail: string = code,
  ) {
    super(detail);
    this.name = 'VouchFault';
  }
}

/** An ID token that runs out on the way is no use. */
const earlySeconds = 30;
/** Longer than a provider may take to renew: a process that dies meanwhile leaves nobody waiting for ever. */
const holdSeconds = 25;
const pollMs = 100;
const mostWaitMs = 15_000;
/** As with tokens of platforms: those that are honest have two or three kilobytes. */
const mostCharacters = 16 * 1024;

type Deps = Pick<SignInRoom, 'db' | 'clock' | 'sealer' | 'upstreams'>;

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
      if (!account) throw new VouchFault('sign_in_again', 'nothing is kept of a sign-in');
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

/** As it is kept, or renewed by one of all processes, for which the others wait. */
async function freshIdToken(room: Deps, upstream: Configuration, provider: Provider, userId: number): Promise<string> {
  for (let waitedMs = 0; waitedMs < mostWaitMs; waitedMs += pollMs) {
    const account = await findVouched(room.db, provider.id, userId);
    const grant = account && openedGrant(room, account.sealed);
    if (!grant) throw new VouchFault('sign_in_again', 'what was kept of the sign-in has ended');
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
  throw new VouchFault('failed', 'another process is about to renew the ID token, and does not end');
}

/** Null where it has ended meanwhile, or the user has signed in anew. */
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
  if (grant.refreshToken === undefined) return end('the ID token has run out, and there is no refresh token');
  const { refreshTokenGrant } = await loadClient();
  const tokens = await refreshTokenGrant(upstream, grant.refreshToken).catch(async (error) => {
    if (codeOf(error) === 'invalid_grant') return end('the provider takes the refresh token no more');
    await replaceGrant(room.db, held, room.sealer.seal(JSON.stringify(grant)));
    throw new VouchFault('failed', wordsOf(error));
  });
  // OpenID Connect Core §12.2: there need not be a new one, and it is the same person's.
  const claims = tokens.claims();
  if (!claims) return end('the provider gives no new ID token');
  if (claims.sub !== held.subject) return end('the provider gives the ID token of somebody else');
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
    const code = codeOf(error);
    // Of what was asked, the ID token is all that a sign-in could mend.
    if (code === 'invalid_grant') throw new VouchFault('sign_in_again', 'the provider does not take its ID token');
    throw code === null ? new VouchFault('failed', wordsOf(error)) : new VouchFault('refused', `it says ${code}`);
  });
  // RFC 8693 §2.2.1: what is no access token has no type of one.
  if (answer.issued_token_type !== idJag || answer.token_type !== 'n_a')
    throw new VouchFault('failed', 'the provider answers with a token of another kind');
  if (answer.access_token.length > mostCharacters)
    throw new VouchFault('failed', `its assertion has more than ${mostCharacters} characters`);
  return answer.access_token;
}

/** RFC 6749 §5.2: the provider's word; its description may repeat what it was sent. */
function codeOf(error: unknown): string | null {
  const { error: code } = error as { error?: unknown };
  return typeof code === 'string' && /^[\w.-]{1,64}$/.test(code) ? code : null;
}
