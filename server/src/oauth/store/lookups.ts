import type { SQLQueryBindings } from 'bun:sqlite';
import { all, type Statement, statement } from '../../platform/db/statement.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { TokenKey, TokenKind } from '../credentials.ts';
import {
  type Client,
  clientColumns,
  codeColumns,
  type Flat,
  type PresentedCode,
  type PresentedToken,
  readClient,
  readCode,
  readToken,
  readUser,
  tokenColumns,
  type UserColumns,
  userColumns,
} from './columns.ts';
import { RecentReads } from './recent-reads.ts';

type Soon<T> = T | Promise<T>;

interface Owned {
  client: Client;
  user_status: number;
  username: string;
}

type WithToken = Owned & { token: PresentedToken | null };
type Bearer = { client: Client; token: PresentedToken; user: UserColumns };

/**
 * One round trip each: the client, what it presents, and the user it belongs to. Nothing is kept past the next write, so a
 * rotated secret, a suspension or a disabled user counts in every process at once. SQLite answers at once, without a promise.
 */
export interface Lookups {
  clientWithCode(clientId: string, codeHash: string): Soon<(Owned & { code: PresentedCode | null }) | null>;
  /** `key` is null when what the client presents is no token at all. */
  clientWithToken(clientId: string, key: TokenKey | null): Soon<WithToken | null>;
  token(key: TokenKey): Soon<{ client: Client; token: PresentedToken } | null>;
  bearer(key: TokenKey): Soon<Bearer | null>;
}

const owner = 'u.status as user_status, u.username as username';

const clientWithCode = statement(`select ${clientColumns}, ${codeColumns}, ${owner}
  from oauth_applications a
  left join oauth_codes c on c.code_hash = $2
  left join users u on u.id = c.user_id
  where a.client_id = $1`);

const byKind = (text: (hash: string) => string): Record<TokenKind, Statement> => ({
  access: statement(text('t.access_hash')),
  refresh: statement(text('t.refresh_hash')),
});

const clientWithToken = byKind(
  (hash) => `select ${clientColumns}, ${tokenColumns}, ${owner}
  from oauth_applications a
  left join oauth_tokens t on t.id = $2 and ${hash} = $3
  left join users u on u.id = t.user_id
  where a.client_id = $1`,
);

const tokenAlone = byKind(
  (hash) => `select ${clientColumns}, ${tokenColumns}
  from oauth_tokens t
  join oauth_applications a on a.id = t.application_id
  where t.id = $1 and ${hash} = $2`,
);

const bearer = statement(`select ${clientColumns}, ${tokenColumns}, ${userColumns}
  from oauth_tokens t
  join oauth_applications a on a.id = t.application_id
  join users u on u.id = t.user_id
  where t.id = $1 and t.access_hash = $2`);

export interface LookupDeps {
  db: Db;
  /** The first row, without a promise; SQLite only. */
  readSync?<R>(sql: string, parameters: SQLQueryBindings[]): R | null | Promise<R | null>;
  /** Stands still as long as nothing is written; null while a transaction is open. SQLite only. */
  rowsWritten?(): number | null;
}

export function openLookups({ db, readSync, rowsWritten }: LookupDeps): Lookups {
  const first = <T>(
    query: Statement,
    parameters: (string | number)[],
    read: (row: Flat) => T,
  ): T | null | Promise<T | null> => {
    const row = readSync
      ? readSync<Flat>(query.sqlite.sql, parameters)
      : all<Flat>(db, query, parameters).then((rows) => rows[0] ?? null);
    if (row instanceof Promise) return row.then((found) => (found ? read(found) : null));
    return row ? read(row) : null;
  };
  const written = rowsWritten ?? (() => null);
  const introspected = new RecentReads<WithToken>(written);
  const bearers = new RecentReads<Bearer>(written);
  return {
    clientWithCode: (clientId, codeHash) => first(clientWithCode, [clientId, codeHash], readWithCode),
    clientWithToken: (clientId, key) => {
      if (!key) return first(clientWithToken.access, [clientId, -1, ''], readWithToken);
      // A refresh token is presented once, and then spent.
      if (key.kind === 'refresh') return first(clientWithToken.refresh, [clientId, key.id, key.hash], readWithToken);
      const known = introspected.get(key.hash);
      if (known?.client.client_id === clientId) return known;
      const found = first(clientWithToken.access, [clientId, key.id, key.hash], readWithToken);
      if (found && !(found instanceof Promise) && found.token) introspected.set(key.hash, found);
      return found;
    },
    token: (key) => first(tokenAlone[key.kind], [key.id, key.hash], readTokenAlone),
    bearer: (key) => {
      const known = bearers.get(key.hash);
      if (known) return known;
      const found = first(bearer, [key.id, key.hash], readBearer);
      if (found && !(found instanceof Promise)) bearers.set(key.hash, found);
      return found;
    },
  };
}

const ownerOf = (row: Flat) => ({
  client: readClient(row),
  user_status: row.user_status as number,
  username: row.username as string,
});
const readWithCode = (row: Flat) => ({ ...ownerOf(row), code: row.c_id === null ? null : readCode(row) });
const readWithToken = (row: Flat) => ({ ...ownerOf(row), token: row.t_id === null ? null : readToken(row) });
const readTokenAlone = (row: Flat) => ({ client: readClient(row), token: readToken(row) });
const readBearer = (row: Flat) => ({ ...readTokenAlone(row), user: readUser(row) });
