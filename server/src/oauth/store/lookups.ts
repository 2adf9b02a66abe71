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

interface Owner {
  /** Null when there is no such user. */
  user_status: number | null;
  username: string;
}
type Owned = Owner & { client: Client };

type WithCode = Owned & { code: PresentedCode | null };
type WithToken = Owned & { token: PresentedToken | null };
type Bearer = { client: Client; token: PresentedToken; user: UserColumns };

/**
 * One round trip each: the client, what it presents, and the user it belongs to. Nothing is kept past a write that could
 * change it, so a rotated secret, a suspension or a disabled user counts in every process at once. SQLite answers at once,
 * without a promise.
 */
export interface Lookups {
  clientWithCode(clientId: string, codeHash: string): Soon<WithCode | null>;
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

/** The same in parts, for SQLite: clients and users are remembered, and what they present was never seen before. */
const clientAlone = statement(`select ${clientColumns} from oauth_applications a where a.client_id = $1`);
const ownerAlone = statement(`select ${owner} from users u where u.id = $1`);
const codeAlone = statement(`select ${codeColumns} from oauth_codes c where c.code_hash = $1`);
const refreshAlone = statement(`select ${tokenColumns} from oauth_tokens t where t.id = $1 and t.refresh_hash = $2`);

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
  /** The same, but for codes and tokens and other things of single requests. */
  queriedWrites?(): number | null;
}

const never = () => null;

export function openLookups({ db, readSync, rowsWritten = never, queriedWrites = never }: LookupDeps): Lookups {
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
  const introspected = new RecentReads<WithToken>(rowsWritten);
  const bearers = new RecentReads<Bearer>(rowsWritten);
  const clients = new RecentReads<Client>(queriedWrites);
  const owners = new RecentReads<Owner>(queriedWrites);

  /** Outside a transaction, where SQLite answers at once. */
  const firstNow = <T>(query: Statement, parameters: (string | number)[], read: (row: Flat) => T): T | null =>
    first(query, parameters, read) as T | null;
  const recall = <T>(known: RecentReads<T>, key: string | number, query: Statement, read: (row: Flat) => T) => {
    const remembered = known.get(`${key}`);
    if (remembered) return remembered;
    const found = firstNow(query, [key], read);
    if (found) known.set(`${key}`, found);
    return found;
  };
  const owned = (client: Client, presented: { user_id: number } | null): Owned => {
    const user = presented && recall(owners, presented.user_id, ownerAlone, readOwner);
    return { client, user_status: user?.user_status ?? null, username: user?.username ?? '' };
  };
  const inParts = () => queriedWrites() !== null;

  return {
    clientWithCode: (clientId, codeHash) => {
      if (!inParts()) return first(clientWithCode, [clientId, codeHash], readWithCode);
      const client = recall(clients, clientId, clientAlone, readClient);
      if (!client) return null;
      const code = firstNow(codeAlone, [codeHash], readCode);
      return { ...owned(client, code), code };
    },
    clientWithToken: (clientId, key) => {
      if (!key) return first(clientWithToken.access, [clientId, -1, ''], readWithToken);
      // A refresh token is presented once, and then spent.
      if (key.kind === 'refresh') {
        if (!inParts()) return first(clientWithToken.refresh, [clientId, key.id, key.hash], readWithToken);
        const client = recall(clients, clientId, clientAlone, readClient);
        if (!client) return null;
        const token = firstNow(refreshAlone, [key.id, key.hash], readToken);
        return { ...owned(client, token), token };
      }
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

const readOwner = (row: Flat) => ({ user_status: row.user_status, username: row.username }) as Owner;
const ownedBy = (row: Flat): Owned => ({ client: readClient(row), ...readOwner(row) });
const readWithCode = (row: Flat) => ({ ...ownedBy(row), code: row.c_id === null ? null : readCode(row) });
const readWithToken = (row: Flat) => ({ ...ownedBy(row), token: row.t_id === null ? null : readToken(row) });
const readTokenAlone = (row: Flat) => ({ client: readClient(row), token: readToken(row) });
const readBearer = (row: Flat) => ({ ...readTokenAlone(row), user: readUser(row) });
