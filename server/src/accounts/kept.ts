import * as batches from '../batches/store/kept.ts';
import * as orchestra from '../orchestra/store/stored-bytes.ts';
import type { Db } from '../platform/db/tables.ts';
import * as playground from '../playground/store/kept.ts';
import * as responses from '../relay/responses/store/kept.ts';
import * as contents from '../requests/contents/store.ts';

/** What a user stores, in bytes, by category. */
export const keptParts = async (db: Db, userId: number) => ({
  ...(await responses.keptOf(db, userId)),
  ...(await batches.keptOf(db, userId)),
  ...(await orchestra.storedBytesOf(db, userId)),
  ...(await playground.keptOf(db, userId)),
  ...(await contents.keptOf(db, userId)),
});

export type KeptParts = Awaited<ReturnType<typeof keptParts>>;

export const sumOf = (parts: KeptParts): number => Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
