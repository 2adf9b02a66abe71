import type { OAuthClientProvider, StoredOAuthClientInformation } from '@modelcontextprotocol/client';
import { AppError } from '../lib/errors.ts';
import { readClientKey, signedBy } from './client-key.ts';
import { basicCredentials } from './client-secret.ts';
import type { McpDeps } from './context.ts';
import { McpFault, secretsOf } from './fault.ts';
import type { McpServer, ServerClient } from './store/servers.ts';

/*
 * A client that was registered by hand at a server's authorization server: for those without dynamic registration, and
 * for the service if it signs in itself.
 */

export interface ClientInput {
  clientId: string;
  clientSecret: string;
  /** Signs assertions, in place of a secret. */
  clientKey: string;
}

export const noClient: ServerClient = { clientId: '', sealedClientSecret: '', sealedClientKey: '', clientIssuer: '' };

type Field = 'client_id' | 'client_secret' | 'client_key';
const refuse = (field: Field, why: string): AppError =>
  new AppError('invalid_value', `${field}: ${why}`, { param: field });

/** Applies a change to the client; absent fields stay. A secret or key belongs to one client at one origin. */
export function changedClient(
  { sealer }: Pick<McpDeps, 'sealer'>,
  old: ServerClient,
  { clientId = old.clientId, clientSecret, clientKey }: Partial<ClientInput>,
  moved = false,
): ServerClient {
  if (clientId === '') {
    if (clientSecret) throw refuse('client_secret', 'requires a client_id');
    if (clientKey) throw refuse('client_key', 'requires a client_id');
    return noClient;
  }
  if (clientSecret && clientKey) throw refuse('client_key', 'a client can have a secret or a key, not both');
  const entered = { ...noClient, clientId };
  if (clientSecret) return { ...entered, sealedClientSecret: sealer.seal(clientSecret) };
  if (clientKey) return { ...entered, sealedClientKey: sealer.seal(checkedKey(clientKey)) };
  const isOther = clientId !== old.clientId;
  const kept = (field: Field, given: string | undefined, sealed: string): string => {
    if (given === '' || sealed === '') return '';
    if (isOther || moved)
      throw refuse(
        field,
        `enter it again, because a stored value is not used for another ${isOther ? 'client' : 'origin'}`,
      );
    return sealed;
  };
  const isAnew = isOther || moved || clientSecret !== undefined || clientKey !== undefined;
  return {
    clientId,
    sealedClientSecret: kept('client_secret', clientSecret, old.sealedClientSecret),
    sealedClientKey: kept('client_key', clientKey, old.sealedClientKey),
    clientIssuer: isAnew ? '' : old.clientIssuer,
  };
}

function checkedKey(entered: string): string {
  const read = readClientKey(entered);
  if ('fault' in read) throw refuse('client_key', read.fault);
  return read.jwk;
}

const needed: Partial<Record<McpServer['auth'], { id: string; secret: string }>> = {
  client_credentials: {
    id: 'is required when the service signs in for itself',
    secret: 'a secret or a key is required when the service signs in for itself',
  },
  enterprise: {
    id: 'is required when a provider vouches for users',
    secret: 'a secret or a key is required when a provider vouches for users',
  },
};

/** If no user signs in at the server, the service needs its own credentials. */
export function requireOwnClient({
  auth,
  clientId,
  sealedClientSecret,
  sealedClientKey,
}: Pick<McpServer, 'auth' | keyof ServerClient>): void {
  const words = needed[auth];
  if (!words) return;
  if (clientId === '') throw refuse('client_id', words.id);
  if (sealedClientSecret === '' && sealedClientKey === '') throw refuse('client_secret', words.secret);
}

/** A value that is entered again is sealed again, and so counts as different. */
export const isSameClient = (one: ServerClient, other: ServerClient): boolean =>
  one.clientId === other.clientId &&
  one.sealedClientSecret === other.sealedClientSecret &&
  one.sealedClientKey === other.sealedClientKey;

const cannotOpen = {
  secret: 'its client secret cannot be decrypted with the current ENCRYPTION_KEY; enter it again',
  key: 'its client key cannot be decrypted with the current ENCRYPTION_KEY; enter it again',
};

function openedOf({ sealer }: Pick<McpDeps, 'sealer'>, sealed: string, what: keyof typeof cannotOpen): string {
  try {
    return sealed === '' ? '' : sealer.open(sealed);
  } catch {
    throw new McpFault('it is not configured', cannotOpen[what]);
  }
}

/** Secrets to redact, in every encoding in which they are sent. Keys are never sent. */
export function clientSecretsOf(deps: Pick<McpDeps, 'sealer'>, server: McpServer): string[] {
  const secret = openedOf(deps, server.sealedClientSecret, 'secret');
  return secret === ''
    ? []
    : secretsOf([secret, basicCredentials(server.clientId, secret).slice('Basic '.length), encodeURIComponent(secret)]);
}

/** The unsealed client that was registered by hand; null if there is none. */
export function ownClientParts(
  deps: Pick<McpDeps, 'sealer'>,
  { clientId, clientIssuer, ...server }: McpServer,
): { client: StoredOAuthClientInformation; key: string } | null {
  if (clientId === '') return null;
  const secret = openedOf(deps, server.sealedClientSecret, 'secret');
  const client = {
    client_id: clientId,
    ...(secret !== '' && { client_secret: secret }),
    ...(clientIssuer !== '' && { issuer: clientIssuer }),
  };
  return { client, key: openedOf(deps, server.sealedClientKey, 'key') };
}

/**
 * Passed to the library instead of a self-registered client; null if there is none. It is stored with the server only:
 * the library cannot save it, so for another issuer it fails instead of registering a new client.
 */
export function ownClientOf(
  deps: Pick<McpDeps, 'sealer' | 'clock'>,
  server: McpServer,
): Pick<OAuthClientProvider, 'clientInformation' | 'addClientAuthentication'> | null {
  // The platform's token identifies the service. The library requires a client, so it gets an empty one that is not
  // sent.
  if (server.clientId === '' && server.auth === 'jwt_bearer') {
    const issuer = server.clientIssuer === '' ? {} : { issuer: server.clientIssuer };
    return { clientInformation: () => ({ client_id: '', ...issuer }), addClientAuthentication: () => {} };
  }
  const parts = ownClientParts(deps, server);
  if (!parts) return null;
  const { client, key } = parts;
  return {
    clientInformation: () => client,
    ...(key !== '' && { addClientAuthentication: signedBy(deps.clock, server.clientId, key) }),
  };
}
