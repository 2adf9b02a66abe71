import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { checkedUrl, OutgoingError } from '../../platform/http/outgoing.ts';
import { roles, type User } from '../user.ts';
import { isSharedDirectory } from './claims.ts';
import type { SignInContext } from './context.ts';
import { wordsOf } from './fault.ts';
import * as store from './store/providers.ts';

export type ProviderInput = Omit<store.ProviderFields, 'sealedSecret'> & { clientSecret: string };

export const providerDefaults = {
  kind: 'openid' as store.ProviderKind,
  clientSecret: '',
  enabled: true,
  allowSignUp: true,
  trustEmail: false,
  emailDomains: [] as string[],
  roleClaim: '',
  roleMap: {} as Record<string, number>,
  vouches: false,
};

const usualScopes: Record<store.ProviderKind, string> = {
  openid: 'openid email profile',
  github: 'read:user user:email',
};

type Acting = Pick<User, 'role'>;

export async function addProvider(
  room: SignInContext,
  acting: Acting,
  { clientSecret, ...given }: Omit<ProviderInput, 'scopes'> & { scopes?: string },
): Promise<store.Provider> {
  const fields = {
    ...given,
    scopes: given.scopes ?? usualScopes[given.kind],
    sealedSecret: sealed(room, clientSecret),
  };
  check(room, acting, fields);
  const provider = await store.insertProvider(room.db, fields, nowSeconds(room.clock));
  if (!provider)
    throw new AppError('conflict', `slug: a provider named ${given.slug} already exists`, { param: 'slug' });
  return provider;
}

/** Absent fields are unchanged. */
export async function changeProvider(
  room: SignInContext,
  acting: Acting,
  id: number,
  { clientSecret, ...given }: Partial<Omit<ProviderInput, 'slug' | 'kind'>>,
): Promise<store.Provider> {
  const change = clientSecret === undefined ? given : { ...given, sealedSecret: sealed(room, clientSecret) };
  const provider = await store.updateProvider(
    room.db,
    id,
    (old) => {
      const fields = { ...old, ...change };
      refuseUnlessAbove(acting, old);
      if (clientSecret === undefined) refuseMovedSecret(old, fields);
      check(room, acting, fields);
      return fields;
    },
    nowSeconds(room.clock),
  );
  if (!provider) throw noProvider(id);
  room.upstreams.forget(id);
  return provider;
}

export async function removeProvider(room: SignInContext, id: number): Promise<void> {
  if (!(await store.deleteProvider(room.db, id))) throw noProvider(id);
  room.upstreams.forget(id);
}

export async function getProvider(room: Pick<SignInContext, 'db'>, id: number): Promise<store.Provider> {
  const provider = await store.findProvider(room.db, id);
  if (!provider) throw noProvider(id);
  return provider;
}

/** An enabled provider; disabled ones do not exist for users. */
export async function enabledProvider(room: Pick<SignInContext, 'db'>, slug: string): Promise<store.Provider> {
  const provider = await store.findProviderBySlug(room.db, slug);
  if (!provider?.enabled) throw new AppError('not_found', 'There is no such provider.');
  return provider;
}

/** Reads its document again. Whether it accepts the client only shows with a sign-in. */
export async function testProvider(room: SignInContext, id: number) {
  const provider = await getProvider(room, id);
  const startMs = room.clock.steadyMs();
  const latency = () => Math.round(room.clock.steadyMs() - startMs);
  try {
    const found = (await room.upstreams.anew(provider)).serverMetadata();
    const { authorization_endpoint = '', token_endpoint = '', userinfo_endpoint = '' } = found;
    if (authorization_endpoint === '' || token_endpoint === '') throw new Error('its document names no endpoints');
    return { ok: true, latency_ms: latency(), authorization_endpoint, token_endpoint, userinfo_endpoint };
  } catch (error) {
    return { ok: false, latency_ms: latency(), error: wordsOf(error) };
  }
}

const noProvider = (id: number): AppError => new AppError('not_found', `there is no identity provider ${id}`);

const sealed = ({ sealer }: SignInContext, secret: string): string => (secret === '' ? '' : sealer.seal(secret));

function check({ allowPrivate }: SignInContext, acting: Acting, fields: store.ProviderFields): void {
  refuseUnlessAbove(acting, fields);
  const refuse = (why: string) => new AppError('invalid_value', `issuer: ${why}`, { param: 'issuer' });
  try {
    checkedUrl(fields.issuer, { allowPrivate });
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    throw refuse(error.message);
  }
  if (!allowPrivate && !fields.issuer.startsWith('https:')) throw refuse('must be an https address');
  if (isSharedDirectory(fields.issuer))
    throw refuse('specify a single tenant: in the shared directory, anyone can give themselves any email address');
  if (fields.kind === 'github' && fields.sealedSecret === '')
    throw new AppError('invalid_value', 'client_secret: is required for GitHub', { param: 'client_secret' });
  if (fields.kind !== 'openid' && fields.vouches)
    throw new AppError('invalid_value', 'vouches: is only available for OpenID Connect providers', {
      param: 'vouches',
    });
  if (fields.kind === 'openid' && !fields.scopes.split(' ').includes('openid'))
    throw new AppError('invalid_value', 'scopes: must include openid', { param: 'scopes' });
}

/** Administrators cannot create administrators, nor let a provider do so. */
function refuseUnlessAbove({ role }: Acting, { roleMap }: Pick<store.ProviderFields, 'roleMap'>): void {
  if (Object.values(roleMap).some((given) => given >= role && given > roles.user))
    throw new AppError(
      'forbidden',
      'You cannot change a provider that assigns a role equal to or higher than your own.',
    );
}

/** As with channels: a secret entered for one address must not be sent to another by an editor. */
function refuseMovedSecret(old: store.Provider, fields: store.ProviderFields): void {
  if (old.sealedSecret === '' || URL.parse(old.issuer)?.origin === URL.parse(fields.issuer)?.origin) return;
  const what = 'enter it again, because a stored value is not used for another origin';
  throw new AppError('invalid_value', `client_secret: ${what}`, { param: 'client_secret' });
}
