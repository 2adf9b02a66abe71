import { nowSeconds } from '../lib/clock.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { vouchedAccount } from './enterprise-authorization.ts';
import type { GrantDeps } from './grants.ts';
import { findGrant, insertGrant, replaceGrant } from './store/grants.ts';
import { findOwnGrant, replaceOwnGrant } from './store/own-grants.ts';
import type { McpServer } from './store/servers.ts';

/** Where a token that the service requested without a user's interaction is stored, and whose it is. */
export interface TokenSlot {
  name: string;
  /** Null for the service's own token. */
  userId: number | null;
  /** Hash of the client and account that the token was issued to; a token issued to another is not used. */
  of: string;
  /** Sealed; null if there is none. */
  find(): Promise<string | null>;
  /** The same from the cache. */
  known(): Promise<string | null>;
  /** False if it was changed meanwhile. */
  replace(before: string | null, sealed: string): Promise<boolean>;
}

/** For a user, only while the provider vouches for them; tokens from before that are no longer used. */
export async function tokenSlotOf(deps: GrantDeps, server: McpServer, userId: number | null): Promise<TokenSlot> {
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

/**
 * A client that was resealed or entered again counts as different; its tokens are requested again, which costs nothing.
 */
const clientOf = ({ url, clientId, sealedClientSecret, sealedClientKey, assertionFile }: McpServer): string[] => {
  const client = [url, clientId, sealedClientSecret, sealedClientKey];
  return assertionFile === '' ? client : [...client, assertionFile];
};

const hashed = (parts: string[]): string => sha256Hex(JSON.stringify(parts));
