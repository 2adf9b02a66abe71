import type { Selectable } from 'kysely';
import { resealing } from '../../../platform/db/reseal.ts';
import type { Db } from '../../../platform/db/tables.ts';
import { type CredentialTable, enabled } from './tables.ts';
import { bumpVersion } from './version.ts';

/** A key of a channel as stored, with its limits. */
export interface CredentialRecord {
  id: number;
  channelId: number;
  name: string;
  /** Encrypted. */
  sealed: string;
  /** Its key is stored in the channel's row. */
  first: boolean;
  weight: number;
  status: number;
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  /** In quota units. */
  spendPerDay: number | null;
  createdAt: number;
  updatedAt: number;
}

export type CredentialFields = Omit<CredentialRecord, 'id' | 'channelId' | 'first' | 'createdAt' | 'updatedAt'>;

type Row = Selectable<CredentialTable> & { channel_key: string };

const fromRow = (row: Row): CredentialRecord => ({
  id: row.id,
  channelId: row.channel_id,
  name: row.name,
  sealed: row.credential || row.channel_key,
  first: row.credential === '',
  weight: row.weight,
  status: row.status,
  requestsPerMinute: row.requests_per_minute,
  tokensPerMinute: row.tokens_per_minute,
  spendPerDay: row.spend_per_day,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (fields: Omit<CredentialFields, 'sealed'>) => ({
  name: fields.name,
  weight: fields.weight,
  status: fields.status,
  requests_per_minute: fields.requestsPerMinute,
  tokens_per_minute: fields.tokensPerMinute,
  spend_per_day: fields.spendPerDay,
});

const rowsWithKeys = (db: Db) =>
  db
    .selectFrom('channel_credentials')
    .innerJoin('channels', 'channels.id', 'channel_credentials.channel_id')
    .selectAll('channel_credentials')
    .select('channels.credential as channel_key')
    .orderBy('channel_credentials.id');

/** A channel's first credential before the others, whichever row is older. */
const byPlace = (a: CredentialRecord, b: CredentialRecord): number =>
  a.channelId - b.channelId || Number(b.first) - Number(a.first) || a.id - b.id;

/** The first credential of each channel first. */
export async function listCredentials(db: Db, channelId?: number): Promise<CredentialRecord[]> {
  const all = rowsWithKeys(db);
  const rows = channelId === undefined ? all : all.where('channel_credentials.channel_id', '=', channelId);
  return (await rows.execute()).map(fromRow).sort(byPlace);
}

export async function findCredential(db: Db, channelId: number, id: number): Promise<CredentialRecord | null> {
  const row = await rowsWithKeys(db)
    .where('channel_credentials.channel_id', '=', channelId)
    .where('channel_credentials.id', '=', id)
    .executeTakeFirst();
  return row ? fromRow(row) : null;
}

/** Of any channel. */
export async function findCredentialById(db: Db, id: number): Promise<CredentialRecord | null> {
  const row = await rowsWithKeys(db).where('channel_credentials.id', '=', id).executeTakeFirst();
  return row ? fromRow(row) : null;
}

const setChannelKey = async (tx: Db, channelId: number, credential: string): Promise<void> => {
  await tx.updateTable('channels').set({ credential }).where('id', '=', channelId).execute();
};

const insertRow = (tx: Db, channelId: number, credential: string, fields: ReturnType<typeof toRow>, now: number) =>
  tx
    .insertInto('channel_credentials')
    .values({ ...fields, channel_id: channelId, credential, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();

const firstFields = toRow({
  name: 'First',
  weight: 1,
  status: enabled,
  requestsPerMinute: null,
  tokensPerMinute: null,
  spendPerDay: null,
});

/**
 * Aligns the rows with the key in the channel's row, which was just written: with a key the channel has a first
 * credential; without one it has none, and the next takes its place. Call inside a transaction.
 */
export async function alignFirst(tx: Db, channelId: number, channelKey: string, now: number): Promise<void> {
  const rows = await listCredentials(tx, channelId);
  const first = rows.find((row) => row.first);
  if (channelKey !== '') {
    if (!first) await insertRow(tx, channelId, '', firstFields, now);
    return;
  }
  if (first) await deleteRow(tx, first.id);
  await promoteNext(tx, channelId);
}

async function promoteNext(tx: Db, channelId: number): Promise<void> {
  const next = (await listCredentials(tx, channelId)).find((row) => !row.first);
  await setChannelKey(tx, channelId, next?.sealed ?? '');
  if (next) await tx.updateTable('channel_credentials').set({ credential: '' }).where('id', '=', next.id).execute();
}

const deleteRow = async (tx: Db, id: number): Promise<void> => {
  await tx.deleteFrom('channel_credentials').where('id', '=', id).execute();
};

/** Upper bound per channel: each one has a circuit for every model. */
export const mostCredentials = 50;

type InsertOutcome = CredentialRecord | 'no_channel' | 'too_many';

export async function insertCredential(
  db: Db,
  channelId: number,
  fields: CredentialFields,
  now: number,
): Promise<InsertOutcome> {
  return db.transaction().execute((tx) => insertCredentialIn(tx, channelId, fields, now));
}

/** The same inside a transaction. */
export async function insertCredentialIn(
  tx: Db,
  channelId: number,
  { sealed, ...fields }: CredentialFields,
  now: number,
): Promise<InsertOutcome> {
  await bumpVersion(tx);
  const channel = await tx.selectFrom('channels').select('credential').where('id', '=', channelId).executeTakeFirst();
  if (!channel) return 'no_channel';
  // A channel created by an earlier version has no row for its key yet.
  if (channel.credential !== '') await alignFirst(tx, channelId, channel.credential, now);
  if ((await listCredentials(tx, channelId)).length >= mostCredentials) return 'too_many';
  const isFirst = channel.credential === '';
  if (isFirst) await setChannelKey(tx, channelId, sealed);
  const { id } = await insertRow(tx, channelId, isFirst ? '' : sealed, toRow(fields), now);
  return (await findCredential(tx, channelId, id))!;
}

/** Null if there is no such credential. */
export async function updateCredential(
  db: Db,
  channelId: number,
  id: number,
  change: (old: CredentialRecord) => CredentialFields,
  now: number,
): Promise<CredentialRecord | null> {
  return db.transaction().execute(async (tx) => {
    // Bumping first serialises writers, so that two partial updates cannot undo each other.
    await bumpVersion(tx);
    const old = await findCredential(tx, channelId, id);
    if (!old) return null;
    const { sealed, ...fields } = change(old);
    if (old.first) await setChannelKey(tx, channelId, sealed);
    await tx
      .updateTable('channel_credentials')
      .set({ ...toRow(fields), ...(!old.first && { credential: sealed }), updated_at: now })
      .where('id', '=', id)
      .execute();
    return findCredential(tx, channelId, id);
  });
}

/** False if there is no such credential. */
export async function deleteCredential(db: Db, channelId: number, id: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await bumpVersion(tx);
    const old = await findCredential(tx, channelId, id);
    if (!old) return false;
    await deleteRow(tx, id);
    if (old.first) await promoteNext(tx, channelId);
    return true;
  });
}

/** The credentials that are not in their channel's row. */
export const resealFurther = resealing('channel_credentials', ['id'], 'credential');
