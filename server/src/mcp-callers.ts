import type { Identity } from './identity/open.ts';
import type { KeyPrincipal } from './identity/principals.ts';
import { after, type MaybePromise } from './lib/maybe-promise.ts';
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

/** Who may use connected servers over MCP, and who may connect some. */
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
    // Identified and counted already; here only whether it may spend, and out of what.
    payWith: (token, at) => oauth.pay(token, { again: true, at }),
  }),
  mcpOwner: ownerAuthenticator({
    session: authenticators.session,
    usersMay: () => options.get('McpUserServers'),
  }),
});

type ByKey = Authenticators['keyOrSession'];

/** A key that has lost its place in an organisation opens nothing here either. */
function standingKey(byKey: ByKey, { teamOf }: Pick<Organisations, 'teamOf'>): ByKey {
  const standing = (principal: KeyPrincipal): MaybePromise<KeyPrincipal> =>
    after(principal.keyId === null ? null : teamOf(principal.keyId), () => principal);
  return (call) => after(byKey(call), standing);
}
