import { type MaybePromise, thenMaybe } from '../../lib/maybe-promise.ts';
import { type Statement, statement } from '../../platform/db/statement.ts';
import type { TokenKey, TokenKind } from '../credentials.ts';
import {
  type Client,
  clientColumns,
  codeColumns,
  type Flat,
  grantOfToken,
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

/** The subject of an ID token. */
type Person = Pick<UserColumns, 'username' | 'display_name' | 'avatar_url' | 'email' | 'email_verified'>;
/** Who granted what is presented. */
export interface Owner {
  /** Null if the user does not exist. */
  user_status: number | null;
  username: string;
  person: Person;
}
type Owned = Owner & { client: Client };

type WithCode = Owned & { code: PresentedCode | null };
type WithToken = Owned & { token: PresentedToken | null };
type Bearer = { client: Client; token: PresentedToken; user: UserColumns };

/**
 * The client, what it presents, and its user. Read in one round trip or, if this process is the only writer, cached
 * until it writes again: rotated secrets, suspensions and disabled users apply at once in every process. Synchronous on
 * SQLite.
 */
export interface Lookups {
  clientWithCode(clientId: string, codeHash: string): MaybePromise<WithCode | null>;
  /** `key` is null if what the client presents is not a token. */
  clientWithToken(clientId: string, key: TokenKey | null): MaybePromise<WithToken | null>;
  token(key: TokenKey): MaybePromise<{ client: Client; token: PresentedToken } | null>;
  bearer(key: TokenKey): MaybePromise<Bearer | null>;
  /** Must be called after every change of an application, user or token; `tokenId` if only that pair changed. */
  forget(tokenId?: number): void;
}

export const ownerColumns = `u.status as user_status, u.username as username, u.display_name as u_display_name,
  u.avatar_url as u_avatar_url, u.email as u_email, u.email_verified as u_email_verified`;

const clientWithCode = statement(`select ${clientColumns}, ${codeColumns}, ${ownerColumns}
  from oauth_applications a
  left join oauth_codes c on c.code_hash = $2
  left join users u on u.id = c.user_id
  where a.client_id = $1`);

/** The code is new; client and user are mostly cached. */
const codeAlone = statement(`select ${codeColumns} from oauth_codes c where c.code_hash = $1`);
const refreshAlone = statement(
  `select ${tokenColumns} from oauth_tokens t ${grantOfToken} where t.id = $1 and t.refresh_hash = $2`,
);

const byKind = (text: (hash: string) => string): Record<TokenKind, Statement> => ({
  access: statement(text('t.access_hash')),
  refresh: statement(text('t.refresh_hash')),
});

const clientWithToken = byKind(
  (hash) => `select ${clientColumns}, ${tokenColumns}, ${ownerColumns}
  from oauth_applications a
  left join oauth_tokens t on t.id = $2 and ${hash} = $3
  ${grantOfToken}
  left join users u on u.id = t.user_id
  where a.client_id = $1`,
);

const tokenAlone = byKind(
  (hash) => `select ${clientColumns}, ${tokenColumns}
  from oauth_tokens t
  join oauth_applications a on a.id = t.application_id
  ${grantOfToken}
  where t.id = $1 and ${hash} = $2`,
);

const bearer = statement(`select ${clientColumns}, ${tokenColumns}, ${userColumns}
  from oauth_tokens t
  join oauth_applications a on a.id = t.application_id
  join users u on u.id = t.user_id
  ${grantOfToken}
  where t.id = $1 and t.access_hash = $2`);

export interface LookupDeps {
  read(query: Statement, parameters: (string | number)[]): MaybePromise<Flat | null>;
  /** No other process writes to the database. */
  soleWriter: boolean;
}

export function openLookups({ read, soleWriter }: LookupDeps): Lookups {
  const introspected = new RecentReads<number, WithToken & { hash: string }>(soleWriter);
  const bearers = new RecentReads<number, Bearer & { hash: string }>(soleWriter);
  const clients = new RecentReads<string, Client>(soleWriter);
  const owners = new RecentReads<number, Owner>(soleWriter);

  /** `keep` gets synchronous results only: later ones may be stale. */
  const first = <T>(
    query: Statement,
    parameters: (string | number)[],
    parse: (row: Flat) => T,
    keep?: (found: T) => void,
  ) => {
    const row = read(query, parameters);
    if (row instanceof Promise) return row.then((later) => later && parse(later));
    const found = row && parse(row);
    if (found && keep) keep(found);
    return found;
  };
  const keepOwned = (found: Owned, presented: { user_id: number } | null) => {
    clients.set(found.client.client_id, found.client);
    if (presented) owners.set(presented.user_id, ownerIn(found));
  };
  /** Undefined if the client or the user is not cached. */
  const ownedByKnown = (clientId: string, presented: { user_id: number } | null): Owned | undefined => {
    const client = clients.get(clientId);
    const user = presented ? owners.get(presented.user_id) : nobody;
    return client && user && { client, ...ownerIn(user) };
  };

  const codeOf = (clientId: string, codeHash: string) =>
    first(clientWithCode, [clientId, codeHash], readWithCode, (found) => keepOwned(found, found.code));
  const refreshOf = (clientId: string, key: TokenKey) =>
    first(clientWithToken.refresh, [clientId, key.id, key.hash], readWithToken, (found) =>
      keepOwned(found, found.token),
    );

  return {
    clientWithCode: (clientId, codeHash) => {
      if (!clients.get(clientId)) return codeOf(clientId, codeHash);
      return thenMaybe(first(codeAlone, [codeHash], readCode), (code) => {
        const owned = ownedByKnown(clientId, code);
        return owned ? { ...owned, code } : codeOf(clientId, codeHash);
      });
    },
    clientWithToken: (clientId, key) => {
      if (!key) return first(clientWithToken.access, [clientId, -1, ''], readWithToken);
      // A refresh token is presented once.
      if (key.kind === 'refresh') {
        if (!clients.get(clientId)) return refreshOf(clientId, key);
        return thenMaybe(first(refreshAlone, [key.id, key.hash], readToken), (token) => {
          const owned = ownedByKnown(clientId, token);
          return owned ? { ...owned, token } : refreshOf(clientId, key);
        });
      }
      const known = introspected.get(key.id);
      if (known?.hash === key.hash && known.client.client_id === clientId) return known;
      return first(clientWithToken.access, [clientId, key.id, key.hash], readWithToken, (found) => {
        if (found.token && !isExchanged(found.token)) introspected.set(key.id, { ...found, hash: key.hash });
      });
    },
    token: (key) => first(tokenAlone[key.kind], [key.id, key.hash], readTokenAlone),
    bearer: (key) => {
      const known = bearers.get(key.id);
      if (known?.hash === key.hash) return known;
      return first(bearer, [key.id, key.hash], readBearer, (found) => {
        if (!isExchanged(found.token)) bearers.set(key.id, { ...found, hash: key.hash });
      });
    },
    forget: (tokenId) => {
      if (tokenId === undefined) for (const known of [introspected, bearers, clients, owners]) known.clear();
      else for (const known of [introspected, bearers]) known.delete(tokenId);
    },
  };
}

/** It ends with its subject token, by a write that does not name it: never cached. */
const isExchanged = ({ subject_id }: PresentedToken): boolean => subject_id !== null;

const nobody: Owner = {
  user_status: null,
  username: '',
  person: { username: '', display_name: '', avatar_url: '', email: '', email_verified: 0 },
};
const ownerIn = ({ user_status, username, person }: Owner): Owner => ({ user_status, username, person });

export const readOwner = (row: Flat) =>
  ({
    user_status: row.user_status,
    username: row.username,
    person: {
      username: row.username,
      display_name: row.u_display_name,
      avatar_url: row.u_avatar_url,
      email: row.u_email,
      email_verified: row.u_email_verified,
    },
  }) as Owner;
const ownedBy = (row: Flat): Owned => ({ client: readClient(row), ...readOwner(row) });
const readWithCode = (row: Flat) => ({ ...ownedBy(row), code: row.c_id === null ? null : readCode(row) });
const readWithToken = (row: Flat) => ({ ...ownedBy(row), token: row.t_id === null ? null : readToken(row) });
const readTokenAlone = (row: Flat) => ({ client: readClient(row), token: readToken(row) });
const readBearer = (row: Flat) => ({ ...readTokenAlone(row), user: readUser(row) });
