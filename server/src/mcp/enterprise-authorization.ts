import type { OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { VouchFault } from '../identity/sign-in/vouching.ts';
import { AppError } from '../lib/errors.ts';
import { faultIn } from './assertions.ts';
import type { McpDeps } from './context.ts';
import { McpFault } from './fault.ts';
import type { McpServer } from './store/servers.ts';

/*
 * Servers at which the company's identity provider vouches for each user
 * (`io.modelcontextprotocol/enterprise-managed-authorization`): its assertion about the user is exchanged at the
 * server's authorization server (RFC 7523 §2.1).
 */

type Deps = Pick<McpDeps, 'vouching' | 'clock'>;
type Vouched = Pick<McpServer, 'auth' | 'vouchedBy'>;

const refuse = (why: string): AppError => new AppError('invalid_value', `vouched_by: ${why}`, { param: 'vouched_by' });

/** Only the operator decides at which servers the company's users are vouched for. */
export function requireVoucher({ auth, vouchedBy, ownerId }: Vouched & Pick<McpServer, 'ownerId'>): void {
  if (auth !== 'enterprise') return;
  if (ownerId !== null) throw refuse("is only for the operator's servers");
  if (vouchedBy === '') throw refuse('is required when a provider vouches for users');
}

export async function checkVoucher({ vouching }: Pick<Deps, 'vouching'>, slug: string | undefined): Promise<void> {
  if (slug && !(await vouching.provider(slug)))
    throw refuse(`there is no identity provider ${slug} that vouches for its users`);
}

/**
 * Tokens issued on one provider's assertion are not used for another provider, nor for users who sign in to the server.
 */
export const isVouchedAlike = (one: Vouched, other: Vouched): boolean =>
  (one.auth === 'enterprise') === (other.auth === 'enterprise') && one.vouchedBy === other.vouchedBy;

/** A message that helps the caller to fix the problem; contains no secrets. */
export class NotVouched extends McpFault {}

const noProvider = (slug: string): NotVouched =>
  new NotVouched('it is not configured', `there is no identity provider ${slug} that vouches for its users`);
const signInAgain = (name: string): NotVouched =>
  new NotVouched(`the user has to sign in to this service again through ${name}`);

/** The account by which the provider knows the user. */
export async function vouchedAccount({ vouching }: Deps, { vouchedBy }: Vouched, userId: number): Promise<number> {
  const account = await vouching.accountOf(vouchedBy, userId);
  if (account !== null) return account;
  const provider = await vouching.provider(vouchedBy);
  throw provider ? signInAgain(provider.name) : noProvider(vouchedBy);
}

interface Asked {
  discovery?: OAuthDiscoveryState;
  resource?: string;
  scope: string | undefined;
}

/** The provider's assertion about the user, only for the authorization server that the server's own metadata names. */
export async function vouchedAssertion(
  { vouching, clock }: Deps,
  { vouchedBy }: Vouched,
  userId: number,
  { discovery, resource, scope }: Asked,
): Promise<string> {
  const audience = discovery?.authorizationServerMetadata?.issuer;
  if (audience === undefined || resource === undefined || !discovery?.resourceMetadata)
    throw new McpFault('it does not name its own authorization server');
  const name = (await vouching.provider(vouchedBy))?.name ?? vouchedBy;
  const text = await vouching.assertionFor(vouchedBy, userId, { audience, resource, scope }).catch((error) => {
    throw error instanceof VouchFault ? told(error, name, vouchedBy) : error;
  });
  const why = faultIn({ clock }, text, [audience], true);
  if (why !== null)
    throw told(new VouchFault('failed', `its assertion about the user cannot be used: ${why}`), name, vouchedBy);
  return text;
}

function told({ code, detail }: VouchFault, name: string, slug: string): NotVouched {
  if (code === 'no_provider') return noProvider(slug);
  if (code === 'sign_in_again') return signInAgain(name);
  return code === 'refused'
    ? new NotVouched(
        `${name} does not vouch for the user at this server`,
        `${name} does not vouch for the user at this server: ${detail}`,
      )
    : new NotVouched(
        `${name} could not vouch for the user at this server`,
        `${name} could not vouch for the user at this server: ${detail}`,
      );
}
