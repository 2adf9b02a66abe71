import * as batches from '../batches/store/stored-bytes.ts';
import * as orchestra from '../orchestra/store/stored-bytes.ts';
import type { Db } from '../platform/db/tables.ts';
import * as playground from '../playground/store/stored-bytes.ts';
import * as responses from '../relay/responses/store/stored-bytes.ts';
import * as contents from '../requests/contents/store.ts';

/** What a user stores, in bytes, by category. */
export const storedByCategory = async (db: Db, userId: number) => ({
  ...(await responses.storedBytesOf(db, userId)),
  ...(await batches.storedBytesOf(db, userId)),
  ...(await orchestra.storedBytesOf(db, userId)),
  ...(await playground.storedBytesOf(db, userId)),
  ...(await contents.storedBytesOf(db, userId)),
});

export type StoredByCategory = Awaited<ReturnType<typeof storedByCategory>>;

export const sumOf = (parts: StoredByCategory): number => Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
