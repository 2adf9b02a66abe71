import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { type ClientCredentials, invalidClient, provesClient } from '../client-auth.ts';
import { newTokens } from '../credentials.ts';
import { suspended } from '../enabled.ts';
import type { Room } from '../room.ts';
import { joinScopes, type Scope } from '../scopes.ts';
import { applicationStatus } from '../status.ts';
import type { Client } from '../store/columns.ts';
import type { NewPair } from '../store/issue.ts';

export type GrantDeps = Pick<Room, 'db' | 'clock' | 'options' | 'lookups' | 'issuer'>;

/** What a grant gives back; the route puts it on the wire and into the audit log. */
export interface Issued {
  applicationId: number;
  userId: number;
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
  scope: string;
}

export const invalidGrant = (message: string): AppError => new AppError('invalid_grant', message);

/** RFC 6749 §3.2.1: the client first, before anything is said about what it presents. */
export function authenticate(client: Client | null, credentials: ClientCredentials): Client {
  const proven = provesClient(client, credentials.secret);
  if (!client || !proven || client.status === applicationStatus.deleted) throw invalidClient();
  if (client.status === applicationStatus.suspended) throw suspended();
  return client;
}

/** Draws a new pair and the row that stands for it. */
export function drawPair(
  deps: { clock: Clock; options: Room['options'] },
  grant: Pick<NewPair, 'family' | 'application_id' | 'user_id' | 'scope' | 'epoch'>,
  accessScopes: Scope[],
): { row: NewPair; issued: Issued } {
  const nowMs = deps.clock.nowMs();
  const now = Math.floor(nowMs / 1000);
  const expiresIn = deps.options.get('OAuth2AccessTokenTTL');
  const { place, accessToken, refreshToken } = newTokens(nowMs);
  const scope = joinScopes(accessScopes);
  return {
    row: {
      place,
      family: grant.family,
      application_id: grant.application_id,
      user_id: grant.user_id,
      access_hash: sha256Hex(accessToken),
      access_scope: scope,
      access_expires_at: now + expiresIn,
      refresh_hash: sha256Hex(refreshToken),
      scope: grant.scope,
      expires_at: now + deps.options.get('OAuth2RefreshTokenTTL'),
      epoch: grant.epoch,
      created_at: now,
    },
    issued: { applicationId: grant.application_id, userId: grant.user_id, accessToken, refreshToken, expiresIn, scope },
  };
}
