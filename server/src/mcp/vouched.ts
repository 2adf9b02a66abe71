import type { OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { VouchFault } from '../identity/sign-in/vouching.ts';
import { AppError } from '../lib/errors.ts';
import { faultIn } from './assertions.ts';
import { McpFault } from './fault.ts';
import type { McpDeps } from './room.ts';
import type { McpServer } from './store/servers.ts';

/*
 * Servers to which the company's identity provider vouches for each user (`io.modelcontextprotocol/enterprise-managed-authorization`):
 * what it says of the user is traded in at the server's authorization server (RFC 7523 §2.1).
 */

type Deps = Pick<McpDeps, 'vouching' | 'clock'>;
type Vouched = Pick<McpServer, 'auth' | 'vouchedBy'>;

const refuse = (why: string): AppError => new AppError('invalid_value', `vouched_by: ${why}`, { param: 'vouched_by' });

/** Whom the company's people are vouched for at is for the operator to say. */
export function requireVoucher({ auth, vouchedBy, ownerId }: Vouched & Pick<McpServer, 'ownerId'>): void {
  if (auth !== 'enterprise') return;
  if (ownerId !== null) throw refuse('is for servers of the operator alone');
  if (vouchedBy === '') throw refuse('is needed where a provider vouches for users');
}

export async function checkVoucher({ vouching }: Pick<Deps, 'vouching'>, slug: string | undefined): Promise<void> {
  if (slug && !(await vouching.provider(slug)))
    throw refuse(`there is no identity provider ${slug} that vouches for its people`);
}

/** What was given by the word of one provider is not used by that of another, nor by a user who signs in to the server. */
export const isVouchedAlike = (one: Vouched, other: Vouched): boolean =>
  (one.auth === 'enterprise') === (other.auth === 'enterprise') && one.vouchedBy === other.vouchedBy;

/** Words that whoever called can do something with; nothing of them is a secret. */
export class NotVouched extends McpFault {}

const noProvider = (slug: string): NotVouched =>
  new NotVouched('it is not set up', `there is no identity provider ${slug} that vouches for its people`);
const signInAgain = (name: string): NotVouched =>
  new NotVouched(`the user has to sign in to this service again through ${name}`);

/** By which the provider knows the user. */
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

/** What the provider says of the user, to the authorization server that the server's own document names and to no other. */
export async function vouchedAssertion(
  { vouching, clock }: Deps,
  { vouchedBy }: Vouched,
  userId: number,
  { discovery, resource, scope }: Asked,
): Promise<string> {
  const audience = discovery?.authorizationServerMetadata?.issuer;
  if (audience === undefined || resource === undefined || !discovery?.resourceMetadata)
    throw new McpFault('it does not say which authorization server is its own');
  const name = (await vouching.provider(vouchedBy))?.name ?? vouchedBy;
  const text = await vouching.assertionFor(vouchedBy, userId, { audience, resource, scope }).catch((error) => {
    throw error instanceof VouchFault ? told(error, name, vouchedBy) : error;
  });
  const why = faultIn({ clock }, text, [audience], true);
  if (why !== null)
    throw told(new VouchFault('failed', `what it says of the user cannot be used: ${why}`), name, vouchedBy);
  return text;
}

function told({ code, detail }: VouchFault, name: string, slug: string): NotVouched {
  if (code === 'no_provider') return noProvider(slug);
  if (code === 'sign_in_again') return signInAgain(name);
  return code === 'refused'
    ? new NotVouched(
        `${name} does not vouch for the user at it`,
        `${name} does not vouch for the user at it: ${detail}`,
      )
    : new NotVouched(
        `${name} could not vouch for the user at it`,
        `${name} could not vouch for the user at it: ${detail}`,
      );
}
