import type { Selectable } from 'kysely';
import type { Price } from '../../../lib/money.ts';
import { deleteRows } from '../../../platform/db/delete-rows.ts';
import { findShaped } from '../../../platform/db/find-row.ts';
import { pageOfFew, type Range } from '../../../platform/db/list-page.ts';
import type { Db } from '../../../platform/db/tables.ts';
import type { ModelType } from '../../candidate.ts';
import { parseParts, storedParts } from '../prices-field.ts';
import type { ProviderModelTable } from './tables.ts';
import { bumpVersion } from './version.ts';

export interface ProviderModelFields extends Price {
  /** Public name. */
  modelId: string;
  channelId: number;
  /** Name at the upstream. */
  modelName: string;
  type: ModelType;
  contextLength: number;
  maxOutputTokens: number;
  status: number;
  qualityScore: number;
  capabilities: Record<string, unknown>;
}

export interface ProviderModelRecord extends ProviderModelFields {
  id: number;
  createdAt: number;
  updatedAt: number;
}

export interface ProviderModelFilter {
  channelId?: number | undefined;
  modelId?: string | undefined;
  type?: ModelType | undefined;
}

const fromRow = (row: Selectable<ProviderModelTable>): ProviderModelRecord => ({
  id: row.id,
  modelId: row.model_id,
  channelId: row.channel_id,
  modelName: row.model_name,
  type: row.type,
  promptPrice: row.prompt_price,
  completionPrice: row.completion_price,
  requestPrice: row.request_price,
  ...parseParts(row.prices),
  contextLength: row.context_length,
  maxOutputTokens: row.max_output_tokens,
  status: row.status,
  qualityScore: row.quality_score,
  capabilities: JSON.parse(row.capabilities) as Record<string, unknown>,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (fields: ProviderModelFields) => ({
  model_id: fields.modelId,
  channel_id: fields.channelId,
  model_name: fields.modelName,
  type: fields.type,
  prompt_price: fields.promptPrice,
  completion_price: fields.completionPrice,
  request_price: fields.requestPrice,
  prices: storedParts(fields),
  context_length: fields.contextLength,
  max_output_tokens: fields.maxOutputTokens,
  status: fields.status,
  quality_score: fields.qualityScore,
  capabilities: JSON.stringify(fields.capabilities),
});

export async function listProviderModels(db: Db, filter: ProviderModelFilter = {}): Promise<ProviderModelRecord[]> {
  return (await selectModels(db, filter).selectAll().orderBy('id').execute()).map(fromRow);
}

export async function pageProviderModels(
  db: Db,
  filter: ProviderModelFilter,
  range: Range,
): Promise<{ models: ProviderModelRecord[]; total: number }> {
  const { rows, total } = await pageOfFew(selectModels(db, filter).selectAll().orderBy('id'), range);
  return { models: rows.map(fromRow), total };
}

function selectModels(db: Db, { channelId, modelId, type }: ProviderModelFilter) {
  return db
    .selectFrom('provider_models')
    .$if(channelId !== undefined, (q) => q.where('channel_id', '=', channelId!))
    .$if(modelId !== undefined, (q) => q.where('model_id', '=', modelId!))
    .$if(type !== undefined, (q) => q.where('type', '=', type!));
}

export const findProviderModel = (db: Db, id: number): Promise<ProviderModelRecord | null> =>
  findShaped(db, 'provider_models', { id }, fromRow);

/** Rows per insert: old versions of SQLite allow 999 values per statement. */
const rowsAtOnce = 60;

/** Skips rows whose (channel, model) already exists. Call inside a transaction. */
export async function insertProviderModels(
  tx: Db,
  list: readonly ProviderModelFields[],
  now: number,
): Promise<ProviderModelRecord[]> {
  const added: ProviderModelRecord[] = [];
  for (let from = 0; from < list.length; from += rowsAtOnce) {
    const values = list
      .slice(from, from + rowsAtOnce)
      .map((fields) => ({ ...toRow(fields), created_at: now, updated_at: now }));
    const rows = await tx
      .insertInto('provider_models')
      .values(values)
      .onConflict((c) => c.columns(['channel_id', 'model_id']).doNothing())
      .returningAll()
      .execute();
    added.push(...rows.map(fromRow));
  }
  if (added.length > 0) await bumpVersion(tx);
  return added;
}

export type UpdateOutcome = { model: ProviderModelRecord } | 'not_found' | 'duplicate' | 'no_channel';

export async function updateProviderModel(
  db: Db,
  id: number,
  change: (old: ProviderModelRecord) => ProviderModelFields,
  now: number,
): Promise<UpdateOutcome> {
  return db.transaction().execute(async (tx): Promise<UpdateOutcome> => {
    // Every writer takes this lock first, so nothing read below can change before the update.
    await bumpVersion(tx);
    const old = await findProviderModel(tx, id);
    if (!old) return 'not_found';
    const fields = change(old);
    const trouble = await placeTaken(tx, fields, id);
    if (trouble) return trouble;
    return { model: await rewrite(tx, id, fields, now) };
  });
}

/** Changes several models of one channel, all or none; returns the `id` of a missing one. Names and channel stay. */
export async function updateModelsOf(
  db: Db,
  channelId: number,
  changes: readonly ({ id: number } & Partial<Pick<ProviderModelFields, 'status' | PlainPrice>>)[],
  now: number,
): Promise<{ missing: number } | { models: ProviderModelRecord[] }> {
  return db.transaction().execute(async (tx) => {
    await bumpVersion(tx);
    const changed = new Map<number, ProviderModelFields>();
    for (const { id, ...given } of changes) {
      const old = changed.get(id) ?? (await findProviderModel(tx, id));
      if (old?.channelId !== channelId) return { missing: id };
      changed.set(id, { ...old, ...given });
    }
    const models: ProviderModelRecord[] = [];
    for (const [id, fields] of changed) models.push(await rewrite(tx, id, fields, now));
    return { models };
  });
}
type PlainPrice = 'promptPrice' | 'completionPrice' | 'requestPrice';

async function rewrite(tx: Db, id: number, fields: ProviderModelFields, now: number): Promise<ProviderModelRecord> {
  const row = await tx
    .updateTable('provider_models')
    .set({ ...toRow(fields), updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return fromRow(row);
}

export async function createProviderModel(db: Db, fields: ProviderModelFields, now: number): Promise<UpdateOutcome> {
  return db.transaction().execute(async (tx): Promise<UpdateOutcome> => {
    await bumpVersion(tx);
    const trouble = await placeTaken(tx, fields, null);
    if (trouble) return trouble;
    const [model] = await insertProviderModels(tx, [fields], now);
    return model ? { model } : 'duplicate';
  });
}

async function placeTaken(tx: Db, fields: ProviderModelFields, ownId: number | null) {
  const channel = await tx.selectFrom('channels').select('id').where('id', '=', fields.channelId).executeTakeFirst();
  if (!channel) return 'no_channel';
  const twin = await tx
    .selectFrom('provider_models')
    .select('id')
    .where('channel_id', '=', fields.channelId)
    .where('model_id', '=', fields.modelId)
    .executeTakeFirst();
  return twin && twin.id !== ownId ? 'duplicate' : null;
}

/** Sets only the prices of a model's parts. */
export async function setProviderModelParts(tx: Db, id: number, price: Price, now: number): Promise<void> {
  const prices = storedParts(price);
  await tx.updateTable('provider_models').set({ prices, updated_at: now }).where('id', '=', id).execute();
}

export async function setProviderModelCapabilities(
  tx: Db,
  id: number,
  capabilities: Record<string, unknown>,
  now: number,
): Promise<void> {
  const set = { capabilities: JSON.stringify(capabilities), updated_at: now };
  await tx.updateTable('provider_models').set(set).where('id', '=', id).execute();
}

export async function setProviderModelStatus(
  tx: Db,
  ids: readonly number[],
  status: number,
  now: number,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.updateTable('provider_models').set({ status, updated_at: now }).where('id', 'in', ids).execute();
  await bumpVersion(tx);
}

export async function deleteProviderModel(db: Db, id: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await bumpVersion(tx);
    return deleteRows(tx, 'provider_models', { id });
  });
}
