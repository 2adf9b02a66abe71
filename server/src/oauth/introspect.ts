import { statuses } from '../identity/user.ts';
import { nowSeconds } from '../lib/clock.ts';
import { type ClientCredentials, invalidClient, provesClient } from './client-auth.ts';
import { readToken, type TokenKind } from './credentials.ts';
import { audienceClaim } from './resource-indicators.ts';
import type { Room } from './room.ts';
import { allowedNow, joinScopes, within } from './scopes.ts';
import { applicationStatus } from './status.ts';
import type { Client, PresentedToken } from './store/columns.ts';

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
      /** RFC 9449 §6.2: the key that whoever sends it must prove. */
      cnf?: { jkt: string };
      aud?: string | string[];
    };

/** RFC 7662 §2: about a client's own tokens, to that client alone; anything else is inactive, without a reason (§2.2). */
export async function introspect(
  deps: Pick<Room, 'lookups' | 'clock' | 'options'>,
  token: string,
  credentials: ClientCredentials,
): Promise<Introspection> {
  const key = readToken(token);
  const found = await deps.lookups.clientWithToken(credentials.clientId, key);
  const client = found?.client ?? null;
  // A public client proves nothing by its id, so it may not ask.
  const proven = provesClient(client, credentials.secret) && client?.app_type === 'confidential';
  if (!client || !proven || client.status === applicationStatus.deleted) throw invalidClient();
  const row = found?.token ?? null;
  if (!key || !row || found?.user_status !== statuses.enabled) return { active: false };
  const { kind } = key;
  if (!isLive(client, row, kind, nowSeconds(deps.clock))) return { active: false };
  const allowed = allowedNow(client.allowed_scopes, deps.options.get('OAuth2AllowedScopes'));
  return {
    active: true,
    scope: joinScopes(within(kind === 'access' ? row.access_scope : row.scope, allowed)),
    client_id: client.client_id,
    username: found.username,
    token_type: kind === 'refresh' ? 'refresh_token' : row.jkt === null ? 'Bearer' : 'DPoP',
    exp: kind === 'access' ? row.access_expires_at : row.expires_at,
    iat: row.created_at,
    sub: `${row.user_id}`,
    ...(kind === 'access' && row.jkt !== null && { cnf: { jkt: row.jkt } }),
    ...audienceClaim(kind === 'access' ? row.access_resource : row.resource),
  };
}

function isLive(client: Client, row: PresentedToken, kind: TokenKind, now: number): boolean {
  return (
    row.application_id === client.id && client.status === applicationStatus.active && tokenLives(row, client, kind, now)
  );
}

/** Whether the token itself still counts: not run out, revoked, rotated away or of a time before a suspension. */
export function tokenLives(row: PresentedToken, client: Client, kind: TokenKind, now: number): boolean {
  if (row.revoked === 1 || row.rotated_at_ms !== null || row.epoch !== client.epoch) return false;
  return kind === 'refresh' ? row.expires_at > now : row.access_revoked === 0 && row.access_expires_at > now;
}
