import type { Options } from '../identity/options.ts';
import type { TokenKind } from './credentials.ts';
import { allowedNow, operatorScopes, type Scope, within } from './scopes.ts';
import type { Client, PresentedToken } from './store/columns.ts';

/**
 * Whether the token is valid: not expired, revoked, rotated, or from before a suspension. An exchanged one is valid as
 * long as its user's grant.
 */
export function isTokenValid(row: PresentedToken, client: Client, kind: TokenKind, now: number): boolean {
  if (row.revoked === 1 || row.rotated_at_ms !== null || row.epoch !== client.epoch) return false;
  if (row.granted_by === null) return false;
  return kind === 'refresh' ? row.expires_at > now : row.access_revoked === 0 && row.access_expires_at > now;
}

/** The scopes allowed now: for its application and, if exchanged, for the one the user agreed to. */
export function effectiveScopes(
  row: Pick<PresentedToken, 'access_scope' | 'scope' | 'granted_scopes'>,
  client: Pick<Client, 'allowed_scopes'>,
  options: Options,
  kind: TokenKind = 'access',
): Scope[] {
  const operator = operatorScopes(options);
  const scopes = within(kind === 'access' ? row.access_scope : row.scope, allowedNow(client.allowed_scopes, operator));
  if (!row.granted_scopes) return scopes;
  const first = allowedNow(row.granted_scopes, operator);
  return scopes.filter((name) => first.has(name));
}
