import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { AppError } from '../lib/errors.ts';
import { McpFault, secretsOf } from './fault.ts';
import type { McpDeps } from './room.ts';
import type { McpServer, ServerClient } from './store/servers.ts';

/* A client that somebody registered by hand where the users of a server sign in, for authorization servers that let nobody register themselves. */

export interface ClientInput {
  clientId: string;
  clientSecret: string;
}

export const noClient: ServerClient = { clientId: '', sealedClientSecret: '', clientIssuer: '' };

const refuse = (why: string): AppError =>
  new AppError('invalid_value', `client_secret: ${why}`, { param: 'client_secret' });

/** The client after a change, of which only what is given counts. A secret is one client's, at one place. */
export function changedClient(
  { sealer }: Pick<McpDeps, 'sealer'>,
  old: ServerClient,
  { clientId = old.clientId, clientSecret }: Partial<ClientInput>,
  moved = false,
): ServerClient {
  if (clientId === '') {
    if (clientSecret) throw refuse('needs a client_id');
    return noClient;
  }
  if (clientSecret !== undefined)
    return { clientId, sealedClientSecret: clientSecret === '' ? '' : sealer.seal(clientSecret), clientIssuer: '' };
  const isOther = clientId !== old.clientId;
  if (old.sealedClientSecret !== '' && (isOther || moved))
    throw refuse(`enter it again, a stored one does not go along to another ${isOther ? 'client' : 'origin'}`);
  return { ...old, clientId, clientIssuer: isOther || moved ? '' : old.clientIssuer };
}

/** A secret that was entered again is sealed anew, and so another. */
export const isSameClient = (one: ServerClient, other: ServerClient): boolean =>
  one.clientId === other.clientId && one.sealedClientSecret === other.sealedClientSecret;

function secretOf({ sealer }: Pick<McpDeps, 'sealer'>, { sealedClientSecret }: ServerClient): string {
  try {
    return sealedClientSecret === '' ? '' : sealer.open(sealedClientSecret);
  } catch {
    const words = 'the secret of its client cannot be opened with the present ENCRYPTION_KEY; enter it again';
    throw new McpFault('it is not set up', words);
  }
}

/** What is not to be told to anybody, in the ways it is sent. */
export function clientSecretsOf(deps: Pick<McpDeps, 'sealer'>, server: McpServer): string[] {
  const secret = secretOf(deps, server);
  return secret === ''
    ? []
    : secretsOf({ secret, basic: btoa(`${server.clientId}:${secret}`), form: encodeURIComponent(secret) });
}

/**
 * For the library in place of a client that registered itself; nothing where there is none. It is kept by the server alone, and
 * what is not kept is not registered anew by the library where the issuer is another, but refused.
 */
export function ownClientOf(
  deps: Pick<McpDeps, 'sealer'>,
  server: McpServer,
): Pick<OAuthClientProvider, 'clientInformation'> | null {
  if (server.clientId === '') return null;
  const secret = secretOf(deps, server);
  const client = {
    client_id: server.clientId,
    ...(secret !== '' && { client_secret: secret }),
    ...(server.clientIssuer !== '' && { issuer: server.clientIssuer }),
  };
  return { clientInformation: () => client };
}
