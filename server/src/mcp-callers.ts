import type { Identity } from './identity/open.ts';
import type { KeyPrincipal } from './identity/principals.ts';
import { mcpAuthenticator } from './mcp/front/caller.ts';
import { ownerAuthenticator } from './mcp/owner.ts';
import type { OAuth } from './oauth/open.ts';
import type { Organisations } from './organisations/open.ts';
import type { Authenticators } from './platform/http/route.ts';

interface CallerDeps {
  identity: Pick<Identity, 'options' | 'authenticators'>;
  oauth: Pick<OAuth, 'identify' | 'pay'>;
  organisations: Pick<Organisations, 'teamOf'>;
  baseUrl: string;
}

/** Who may use connected servers over MCP, and who may connect them. */
export const mcpAuthenticators = ({
  identity: { options, authenticators },
  oauth,
  organisations,
  baseUrl,
}: CallerDeps): Pick<Authenticators, 'mcp' | 'mcpOwner'> => ({
  mcp: mcpAuthenticator({
    baseUrl,
    keysAllowed: () => options.get('McpApiKeys'),
    byKey: standingKey(authenticators.keyOrSession, organisations),
    byToken: ({ request }, resource) => oauth.identify(request, { resource, named: true }),
    // Already authenticated and counted; this only checks whether it may spend, and from which balance.
    payWith: (token, at) => oauth.pay(token, { again: true, at }),
  }),
  mcpOwner: ownerAuthenticator({
    session: authenticators.session,
    usersMay: () => options.get('McpUserServers'),
  }),
});

type ByKey = Authenticators['keyOrSession'];

/** A key whose owner left the organisation is not accepted here either. */
function standingKey(byKey: ByKey, { teamOf }: Pick<Organisations, 'teamOf'>): ByKey {
  const standing = (principal: KeyPrincipal): KeyPrincipal | Promise<KeyPrincipal> => {
    const team = principal.keyId === null ? null : teamOf(principal.keyId);
    return team instanceof Promise ? after(team, principal) : principal;
  };
  return (call) => {
    const principal = byKey(call);
    return principal instanceof Promise ? principal.then(standing) : standing(principal);
  };
}

async function after<T>(first: Promise<unknown>, then: T): Promise<T> {
  await first;
  return then;
}
