import type { Db } from '../../platform/db/tables.ts';
import { all, statement } from './statement.ts';
import type { ApplicationRow, CodeRow, TokenRow } from './tables.ts';

/**
 * One round trip each: the client, what it presents, and the user it belongs to. Nothing is cached, so a rotated secret,
 * a suspension or a disabled user counts in every process at once.
 */
export type Client = Pick<
  ApplicationRow,
  | 'id'
  | 'client_id'
  | 'app_type'
  | 'secret_hash'
  | 'redirect_uris'
  | 'allowed_scopes'
  | 'status'
  | 'epoch'
  | 'rate_limit'
>;
export type PresentedCode = Omit<CodeRow, 'code_hash' | 'state'> & { user_status: number };
export type PresentedToken = Omit<TokenRow, 'access_hash' | 'refresh_hash'> & { user_status: number; username: string };
export interface UserColumns {
  id: number;
  username: string;
  display_name: string;
  avatar_url: string;
  email: string;
  email_verified: number;
  role: number;
  status: number;
  group: string;
  quota: number;
  used_quota: number;
  request_count: number;
  created_at: number;
}
export type TokenKind = 'access' | 'refresh';

type Flat = Record<string, unknown>;

const clientColumns = `a.id as a_id, a.client_id as a_client_id, a.app_type as a_app_type,
  a.secret_hash as a_secret_hash, a.redirect_uris as a_redirect_uris, a.allowed_scopes as a_allowed_scopes,
  a.status as a_status, a.epoch as a_epoch, a.rate_limit as a_rate_limit`;
const tokenColumns = `t.id as t_id, t.family as t_family, t.application_id as t_application_id, t.user_id as t_user_id,
  t.access_scope as t_access_scope, t.access_expires_at as t_access_expires_at, t.access_revoked as t_access_revoked,
  t.scope as t_scope, t.expires_at as t_expires_at, t.rotated_at_ms as t_rotated_at_ms, t.revoked as t_revoked,
  t.epoch as t_epoch, t.created_at as t_created_at, t.last_used_at as t_last_used_at`;
const userColumns = `u.id as u_id, u.username as u_username, u.display_name as u_display_name,
  u.avatar_url as u_avatar_url, u.email as u_email, u.email_verified as u_email_verified, u.role as u_role,
  u.status as u_status, u."group" as u_group, u.quota as u_quota, u.used_quota as u_used_quota,
  u.request_count as u_request_count, u.created_at as u_created_at`;
const tokenUser = 'u.status as t_user_status, u.username as t_username';

const clientWithCode = statement(`select ${clientColumns},
    c.id as c_id, c.application_id as c_application_id, c.user_id as c_user_id, c.redirect_uri as c_redirect_uri,
    c.scope as c_scope, c.code_challenge as c_code_challenge, c.code_challenge_method as c_code_challenge_method,
    c.epoch as c_epoch, c.used_at as c_used_at, c.created_at as c_created_at, c.expires_at as c_expires_at,
    u.status as c_user_status
  from oauth_applications a
  left join oauth_codes c on c.code_hash = $2
  left join users u on u.id = c.user_id
  where a.client_id = $1`);

const clientWithToken = (kind: TokenKind) =>
  statement(`select ${clientColumns}, ${tokenColumns}, ${tokenUser}
  from oauth_applications a
  left join oauth_tokens t on t.${kind}_hash = $2
  left join users u on u.id = t.user_id
  where a.client_id = $1`);
const clientWithTokens = { access: clientWithToken('access'), refresh: clientWithToken('refresh') };

const tokenAlone = (kind: TokenKind) =>
  statement(`select ${clientColumns}, ${tokenColumns}, ${tokenUser}
  from oauth_tokens t
  join oauth_applications a on a.id = t.application_id
  join users u on u.id = t.user_id
  where t.${kind}_hash = $1`);
const tokensAlone = { access: tokenAlone('access'), refresh: tokenAlone('refresh') };

const bearer = statement(`select ${clientColumns}, ${tokenColumns}, ${tokenUser}, ${userColumns}
  from oauth_tokens t
  join oauth_applications a on a.id = t.application_id
  join users u on u.id = t.user_id
  where t.access_hash = $1`);

/** The columns that begin with `prefix`, as one object; null when an outer join found nothing. */
function part<T>(row: Flat, prefix: string): T | null {
  if (row[`${prefix}id`] === null) return null;
  const out: Flat = {};
  for (const key in row) if (key.startsWith(prefix)) out[key.slice(prefix.length)] = row[key];
  return out as T;
}

export async function findClientWithCode(
  db: Db,
  clientId: string,
  codeHash: string,
): Promise<{ client: Client; code: PresentedCode | null } | null> {
  const [row] = await all<Flat>(db, clientWithCode, [clientId, codeHash]);
  return row ? { client: part<Client>(row, 'a_')!, code: part<PresentedCode>(row, 'c_') } : null;
}

export async function findClientWithToken(
  db: Db,
  clientId: string,
  kind: TokenKind,
  hash: string,
): Promise<{ client: Client; token: PresentedToken | null } | null> {
  const [row] = await all<Flat>(db, clientWithTokens[kind], [clientId, hash]);
  return row ? { client: part<Client>(row, 'a_')!, token: part<PresentedToken>(row, 't_') } : null;
}

export async function findToken(
  db: Db,
  kind: TokenKind,
  hash: string,
): Promise<{ client: Client; token: PresentedToken } | null> {
  const [row] = await all<Flat>(db, tokensAlone[kind], [hash]);
  return row ? { client: part<Client>(row, 'a_')!, token: part<PresentedToken>(row, 't_')! } : null;
}

export async function findBearer(
  db: Db,
  accessHash: string,
): Promise<{ client: Client; token: PresentedToken; user: UserColumns } | null> {
  const [row] = await all<Flat>(db, bearer, [accessHash]);
  if (!row) return null;
  return {
    client: part<Client>(row, 'a_')!,
    token: part<PresentedToken>(row, 't_')!,
    user: part<UserColumns>(row, 'u_')!,
  };
}
