import type { Identity } from './identity/open.ts';
import { type CallerAuthDeps, mcpAuthenticator, recheckCaller } from './mcp/front/caller.ts';
import { ownerAuthenticator } from './mcp/owner.ts';
import type { OAuth } from './oauth/open.ts';
import type { Authenticators } from './platform/http/route.ts';

interface CallerDeps {
  identity: Pick<Identity, 'options' | 'authenticators'>;
  oauth: Pick<OAuth, 'identify' | 'pay'>;
  baseUrl: string;
}

/** Who may use connected servers over MCP, and who may connect them. */
export const mcpAuthenticators = ({ identity: { options, authenticators }, oauth, baseUrl }: CallerDeps) => {
  const ways: CallerAuthDeps = {
    baseUrl,
    keysAllowed: () => options.get('McpApiKeys'),
    byKey: authenticators.keyOrSession,
    byToken: ({ request }, resource, again) => oauth.identify(request, { resource, named: true }, again),
    // Already authenticated and counted; this only checks whether it may spend, and from which balance.
    payWith: (token, at) => oauth.pay(token, { again: true, at }),
  };
  const byMcp: Pick<Authenticators, 'mcp' | 'mcpOwner'> = {
    mcp: mcpAuthenticator(ways),
    mcpOwner: ownerAuthenticator({
      session: authenticators.session,
      usersMay: () => options.get('McpUserServers'),
    }),
  };
  return { byMcp, recheckCaller: recheckCaller(ways) };
};
