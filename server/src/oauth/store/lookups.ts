import { all, statement } from '../../platform/db/statement.ts';
import type { Db } from '../../platform/db/tables.ts';
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
export type PresentedCode = Omit<CodeRow, 'code_hash' | 'state'>;
export type PresentedToken = Omit<TokenRow, 'access_hash' | 'refresh_hash'>;
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

/** The columns of one table under names of their own, and how to gather them again. */
function aliased<const N extends string>(table: string, names: readonly N[]) {
  const pairs = names.map((name) => [`${table}_${name}`, name] as const);
  return {
    columns: names.map((name) => `${table}."${name}" as ${table}_${name}`).join(', '),
    /** Null when an outer join found nothing. */
    read: <T>(row: Flat): T | null => {
      if (row[`${table}_id`] === null) return null;
      const out: Flat = {};
      for (const [column, name] of pairs) out[name] = row[column];
      return out as T;
    },
  };
}

const a = aliased('a', [
  'id',
  'client_id',
  'app_type',
  'secret_hash',
  'redirect_uris',
  'allowed_scopes',
  'status',
  'epoch',
  'rate_limit',
]);
const c = aliased('c', [
  'id',
  'application_id',
  'user_id',
  'redirect_uri',
  'scope',
  'code_challenge',
  'code_challenge_method',
  'epoch',
  'used_at',
  'created_at',
  'expires_at',
]);
const t = aliased('t', [
  'id',
  'family',
  'application_id',
  'user_id',
  'access_scope',
  'access_expires_at',
  'access_revoked',
  'scope',
  'expires_at',
  'rotated_at_ms',
  'revoked',
  'epoch',
  'created_at',
  'last_used_at',
]);
const u = aliased('u', [
  'id',
  'username',
  'display_name',
  'avatar_url',
  'email',
  'email_verified',
  'role',
  'status',
  'group',
  'quota',
  'used_quota',
  'request_count',
  'created_at',
]);
const userStatus = 'u.status as user_status, u.username as username';

const clientWithCode = statement(`select ${a.columns}, ${c.columns}, ${userStatus}
  from oauth_applications a
  left join oauth_codes c on c.code_hash = $2
  left join users u on u.id = c.user_id
  where a.client_id = $1`);

const clientWithToken = (kind: TokenKind) =>
  statement(`select ${a.columns}, ${t.columns}, ${userStatus}
  from oauth_applications a
  left join oauth_tokens t on t.${kind}_hash = $2
  left join users u on u.id = t.user_id
  where a.client_id = $1`);
const clientWithTokens = { access: clientWithToken('access'), refresh: clientWithToken('refresh') };

const tokenAlone = (kind: TokenKind) =>
  statement(`select ${a.columns}, ${t.columns}
  from oauth_tokens t
  join oauth_applications a on a.id = t.application_id
  where t.${kind}_hash = $1`);
const tokensAlone = { access: tokenAlone('access'), refresh: tokenAlone('refresh') };

const bearer = statement(`select ${a.columns}, ${t.columns}, ${u.columns}
  from oauth_tokens t
  join oauth_applications a on a.id = t.application_id
  join users u on u.id = t.user_id
  where t.access_hash = $1`);

type Joined = Flat & { user_status: number; username: string };

export async function findClientWithCode(
  db: Db,
  clientId: string,
  codeHash: string,
): Promise<{ client: Client; code: PresentedCode | null; user_status: number } | null> {
  const [row] = await all<Joined>(db, clientWithCode, [clientId, codeHash]);
  return row ? { client: a.read<Client>(row)!, code: c.read<PresentedCode>(row), user_status: row.user_status } : null;
}

export async function findClientWithToken(
  db: Db,
  clientId: string,
  kind: TokenKind,
  hash: string,
): Promise<{ client: Client; token: PresentedToken | null; user_status: number; username: string } | null> {
  const [row] = await all<Joined>(db, clientWithTokens[kind], [clientId, hash]);
  if (!row) return null;
  const { user_status, username } = row;
  return { client: a.read<Client>(row)!, token: t.read<PresentedToken>(row), user_status, username };
}

export async function findToken(
  db: Db,
  kind: TokenKind,
  hash: string,
): Promise<{ client: Client; token: PresentedToken } | null> {
  const [row] = await all<Flat>(db, tokensAlone[kind], [hash]);
  return row ? { client: a.read<Client>(row)!, token: t.read<PresentedToken>(row)! } : null;
}

export async function findBearer(
  db: Db,
  accessHash: string,
): Promise<{ client: Client; token: PresentedToken; user: UserColumns } | null> {
  const [row] = await all<Flat>(db, bearer, [accessHash]);
  if (!row) return null;
  return { client: a.read<Client>(row)!, token: t.read<PresentedToken>(row)!, user: u.read<UserColumns>(row)! };
}
