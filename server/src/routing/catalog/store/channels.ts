import type { Selectable } from 'kysely';
import type { ChannelKind } from '../../../lib/vendors/vendor.ts';
import { deleteRows } from '../../../platform/db/delete-rows.ts';
import { findShaped, hasRow } from '../../../platform/db/find-row.ts';
import { pageOfFew, type Range } from '../../../platform/db/list-page.ts';
import { resealing, resealingAll } from '../../../platform/db/reseal.ts';
import type { Db } from '../../../platform/db/tables.ts';
import { updateRows } from '../../../platform/db/update-rows.ts';
import { alignFirst, listCredentials, resealFurther } from './credentials.ts';
import type { ChannelTable } from './tables.ts';
import { bumpVersion } from './version.ts';

/** A channel as stored: its credential is still encrypted. */
export interface ChannelRecord {
  id: number;
  name: string;
  provider: string;
  kind: ChannelKind;
  baseUrl: string;
  /** Its first credential; empty if it has none. */
  sealedCredential: string;
  priority: number;
  weight: number;
  status: number;
  models: string[];
  group: string;
  timeoutMs: number;
  createdAt: number;
  updatedAt: number;
}

export type ChannelFields = Omit<ChannelRecord, 'id' | 'createdAt' | 'updatedAt'>;

const fromRow = (row: Selectable<ChannelTable>): ChannelRecord => ({
  id: row.id,
  name: row.name,
  provider: row.provider,
  kind: row.kind,
  baseUrl: row.base_url,
  sealedCredential: row.credential,
  priority: row.priority,
  weight: row.weight,
  status: row.status,
  models: JSON.parse(row.models) as string[],
  group: row.group_name,
  timeoutMs: row.timeout_ms,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (fields: ChannelFields) => ({
  name: fields.name,
  provider: fields.provider,
  kind: fields.kind,
  base_url: fields.baseUrl,
  credential: fields.sealedCredential,
  priority: fields.priority,
  weight: fields.weight,
  status: fields.status,
  models: JSON.stringify(fields.models),
  group_name: fields.group,
  timeout_ms: fields.timeoutMs,
});

export async function listChannels(db: Db): Promise<ChannelRecord[]> {
  return (await db.selectFrom('channels').selectAll().orderBy('id').execute()).map(fromRow);
}

export async function pageChannels(db: Db, range: Range): Promise<{ channels: ChannelRecord[]; total: number }> {
  const { rows, total } = await pageOfFew(db.selectFrom('channels').selectAll().orderBy('id'), range);
  return { channels: rows.map(fromRow), total };
}

export const findChannel = (db: Db, id: number): Promise<ChannelRecord | null> =>
  findShaped(db, 'channels', { id }, fromRow);

export const providerHasChannel = (db: Db, provider: string): Promise<boolean> => hasRow(db, 'channels', { provider });

/** Call inside a transaction, together with the channel's models. */
export async function insertChannel(tx: Db, fields: ChannelFields, now: number): Promise<ChannelRecord> {
  const row = await tx
    .insertInto('channels')
    .values({ ...toRow(fields), created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  await bumpVersion(tx);
  if (row.credential !== '') await alignFirst(tx, row.id, row.credential, now);
  return fromRow(row);
}

/** Null if there is no such channel. */
export async function updateChannel(
  db: Db,
  id: number,
  change: (old: ChannelRecord, furtherCredentials: number) => ChannelFields,
  now: number,
): Promise<ChannelRecord | null> {
  return db.transaction().execute(async (tx) => {
    // Bumping first serialises writers, so that two partial updates cannot undo each other.
    await bumpVersion(tx);
    const old = await findChannel(tx, id);
    if (!old) return null;
    const further = (await listCredentials(tx, id)).filter((one) => !one.first).length;
    const fields = change(old, further);
    await updateRows(tx, 'channels', { id }, { ...toRow(fields), updated_at: now });
    if (fields.sealedCredential !== old.sealedCredential) await alignFirst(tx, id, fields.sealedCredential, now);
    return findChannel(tx, id);
  });
}

/** Also deletes the channel's models; false if there is no such channel. */
export async function deleteChannel(db: Db, id: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await bumpVersion(tx);
    await tx.deleteFrom('provider_models').where('channel_id', '=', id).execute();
    await tx.deleteFrom('channel_credentials').where('channel_id', '=', id).execute();
    return deleteRows(tx, 'channels', { id });
  });
}

export const resealCredentials = resealingAll(resealing('channels', ['id'], 'credential'), resealFurther);
