import { statuses } from '../identity/user.ts';
import { nowSeconds } from '../lib/clock.ts';
import { type ClientCredentials, invalidClient, provesClient } from './client-auth.ts';
import type { OAuthContext } from './context.ts';
import { readToken, type TokenKind } from './credentials.ts';
import type { Actor } from './grants/actor.ts';
import { audienceClaim } from './resource-indicators.ts';
import { joinScopes } from './scopes.ts';
import { applicationStatus } from './status.ts';
import type { Client, PresentedToken } from './store/columns.ts';
import { effectiveScopes, isTokenValid } from './token-validity.ts';

export type Introspection =
  | { active: false }
  | {
      active: true;
      scope: string;
      client_id: string;
      username: string;
      token_type: string;
      exp: number;
      iat: number;
      sub: string;
      /** RFC 9449 §6.2: the key that must be proven with it. */
      cnf?: { jkt: string };
      aud?: string | string[];
      /** Of an exchanged token (RFC 8693 §4.1). */
      act?: Actor;
    };

/** RFC 7662 §2: a client may ask about its own tokens only; others are inactive, without a reason (§2.2). */
export async function introspect(
  deps: Pick<OAuthContext, 'lookups' | 'clock' | 'options'>,
  token: string,
  credentials: ClientCredentials,
): Promise<Introspection> {
  const key = readToken(token);
  const found = await deps.lookups.clientWithToken(credentials.clientId, key);
  const client = found?.client ?? null;
  // A public client is not authenticated by its id, so it may not ask.
  const proven = provesClient(client, credentials) && client?.app_type === 'confidential';
  if (!client || !proven || client.status === applicationStatus.deleted) throw invalidClient();
  const row = found?.token ?? null;
  if (!key || !row || found?.user_status !== statuses.enabled) return { active: false };
  const { kind } = key;
  if (!isLive(client, row, kind, nowSeconds(deps.clock))) return { active: false };
  return {
    active: true,
    scope: joinScopes(effectiveScopes(row, client, deps.options, kind)),
    client_id: client.client_id,
    username: found.username,
    token_type: kind === 'refresh' ? 'refresh_token' : row.jkt === null ? 'Bearer' : 'DPoP',
    exp: kind === 'access' ? row.access_expires_at : row.expires_at,
    iat: row.created_at,
    sub: `${row.user_id}`,
    ...(kind === 'access' && row.jkt !== null && { cnf: { jkt: row.jkt } }),
    ...audienceClaim(kind === 'access' ? row.access_resource : row.resource),
    ...(row.act !== null && { act: JSON.parse(row.act) as Actor }),
  };
}

function isLive(client: Client, row: PresentedToken, kind: TokenKind, now: number): boolean {
  return (
    row.application_id === client.id &&
    client.status === applicationStatus.active &&
    isTokenValid(row, client, kind, now)
  );
}
