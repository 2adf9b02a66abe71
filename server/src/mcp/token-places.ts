import { nowSeconds } from '../lib/clock.ts';
import { sha256Hex } from '../lib/hashing.ts';
import type { GrantDeps } from './grants.ts';
import { findGrant, insertGrant, replaceGrant } from './store/grants.ts';
import { findOwnGrant, replaceOwnGrant } from './store/own-grants.ts';
import type { McpServer } from './store/servers.ts';
import { vouchedAccount } from './vouched.ts';

/** Where a token is kept that the service asked for without anybody, and whose it is. */
export interface TokenPlace {
  name: string;
  /** Null for the service's own. */
  userId: number | null;
  /** Hash of whom a token was given to: one that was given to another is not used. */
  of: string;
  /** Sealed; null where there is none. */
  find(): Promise<string | null>;
  /** The same as it is known here. */
  known(): Promise<string | null>;
  /** False when it is not what it was. */
  replace(before: string | null, sealed: string): Promise<boolean>;
}

/** Of a user only while the provider vouches for them: what it vouched for before ends with that. */
export async function placeOf(deps: GrantDeps, server: McpServer, userId: number | null): Promise<TokenPlace> {
  const { db } = deps;
  const now = () => nowSeconds(deps.clock);
  const { id } = server;
  const known = async () => (await deps.known.grant(id, userId))?.sealed ?? null;
  const told = async (done: Promise<boolean>): Promise<boolean> => {
    const isDone = await done;
    await deps.known.grantChanged(id, userId);
    return isDone;
  };
  if (userId === null)
    return {
      ...{ name: `${id}`, userId, of: hashed(clientOf(server)) },
      ...{ known, find: () => findOwnGrant(db, id) },
      replace: (before, sealed) => told(replaceOwnGrant(db, id, { before, sealed }, now())),
    };
  const account = await vouchedAccount(deps, server, userId);
  const place = { serverId: id, userId };
  return {
    ...{ name: `${id} ${userId}`, userId, of: hashed([...clientOf(server), server.vouchedBy, `${account}`]) },
    ...{ known, find: async () => (await findGrant(db, id, userId))?.sealed ?? null },
    replace: (before, sealed) =>
      told(
        before === null
          ? insertGrant(db, { ...place, sealed }, now())
          : replaceGrant(db, { ...place, sealed: before }, sealed, now()),
      ),
  };
}

/** Resealed or entered again, a client is another: what was given to it is asked for anew, which costs nothing. */
const clientOf = ({ url, clientId, sealedClientSecret, sealedClientKey, assertionFile }: McpServer): string[] => {
  const client = [url, clientId, sealedClientSecret, sealedClientKey];
  return assertionFile === '' ? client : [...client, assertionFile];
};

const hashed = (parts: string[]): string => sha256Hex(JSON.stringify(parts));
