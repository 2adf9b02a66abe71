import type { Origin } from '../identity/audit/log.ts';
import { grantsTag } from './announcement-tags.ts';
import { type ClientCredentials, provesClient } from './client-auth.ts';
import type { OAuthContext } from './context.ts';
import { readToken, type TokenKind } from './credentials.ts';
import { paysBy } from './spending.ts';
import { applicationStatus } from './status.ts';
import type { Client } from './store/columns.ts';
import type { TokenRow } from './store/tables.ts';
import { type FamilyKey, revokeAccess, revokeFamily } from './store/tokens.ts';

export interface Revoked {
  kind: TokenKind;
  applicationId: number;
  userId: number;
}

/**
 * RFC 7009 §2.1. Null if there was nothing to revoke, or not by this caller: the answer is the same. A token shows its
 * kind, so no hint is needed.
 */
export async function revokeToken(
  deps: Ending,
  token: string,
  credentials: ClientCredentials | null,
): Promise<Revoked | null> {
  const key = readToken(token);
  if (!key) return null;
  const { kind } = key;
  const found = await deps.lookups.token(key);
  if (!found || !mayRevoke(found.client, credentials)) return null;
  const done = { kind, applicationId: found.token.application_id, userId: found.token.user_id };
  // §2.1: a refresh token's revocation includes all access tokens of its grant.
  if (kind === 'refresh') return (await endFamily(deps, found.token)) > 0 ? done : null;
  const revoked = await revokeAccess(deps.db, found.token);
  deps.lookups.forget(found.token.id);
  await announceGrantChange(deps, found.token);
  return revoked ? done : null;
}

type Ending = Pick<OAuthContext, 'db' | 'lookups' | 'announcements'>;

/** Paying tokens, and those exchanged for them, are cached by every process until notified; others are not. */
export async function announceGrantChange(
  { announcements }: Pick<OAuthContext, 'announcements'>,
  { user_id, scope }: Pick<TokenRow, 'user_id' | 'scope'>,
): Promise<void> {
  if (paysBy(scope)) await announcements.changed(grantsTag(user_id));
}

/** All tokens descending from one code; returns the number of pairs. */
export async function endFamily(deps: Ending, key: FamilyKey & Pick<TokenRow, 'scope'>): Promise<number> {
  const ended = await revokeFamily(deps.db, key);
  deps.lookups.forget();
  await announceGrantChange(deps, key);
  return ended;
}

/**
 * RFC 6749 §4.1.2, RFC 9700 §4.14.2: a code or refresh token that comes again, or its successor, was stolen. The only
 * trace of it is the audit log.
 */
export async function endStolen(
  deps: Ending & Pick<OAuthContext, 'audit'>,
  key: Parameters<typeof endFamily>[1],
  { reason, origin }: { reason: 'code_reused' | 'refresh_token_reused'; origin: Origin },
): Promise<void> {
  if ((await endFamily(deps, key)) === 0) return;
  const { application_id, user_id } = key;
  deps.audit.record('token_revoked', origin, {
    ...{ application_id, user_id },
    metadata: { token_type: 'refresh_token', reason },
  });
}

/** Credentials are optional here, but must be right if given, and the token must be the client's own. */
function mayRevoke(client: Client, credentials: ClientCredentials | null): boolean {
  if (credentials === null) return true;
  if (client.status === applicationStatus.deleted || client.client_id !== credentials.clientId) return false;
  return (credentials.secret === null && !credentials.signed) || provesClient(client, credentials);
}
