import { z } from 'zod';
import { deleteRows } from '../../platform/db/delete-rows.ts';
import { findShaped } from '../../platform/db/find-row.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { ModelConfig } from '../rank.ts';
import { strategies } from '../score.ts';
import type { ConfigTable } from './tables.ts';

const strategy = z.enum(strategies).nullable().catch(null);

const fromRow = (row: ConfigTable): ModelConfig => ({
  weights: {
    latency: row.latency_weight,
    successRate: row.success_rate_weight,
    price: row.price_weight,
    priority: row.provider_priority_weight,
  },
  defaultStrategy: strategy.parse(row.default_strategy),
});

export async function readConfigs(db: Db): Promise<Map<string, ModelConfig>> {
  const rows = await db.selectFrom('routing_configs').selectAll().orderBy('model_id').execute();
  return new Map(rows.map((row) => [row.model_id, fromRow(row)]));
}

export const readConfig = (db: Db, modelId: string): Promise<ModelConfig | null> =>
  findShaped(db, 'routing_configs', { model_id: modelId }, fromRow);

export async function writeConfig(db: Db, modelId: string, config: ModelConfig, now: number): Promise<void> {
  const values = {
    latency_weight: config.weights.latency,
    success_rate_weight: config.weights.successRate,
    price_weight: config.weights.price,
    provider_priority_weight: config.weights.priority,
    default_strategy: config.defaultStrategy,
    updated_at: now,
  };
  await db
    .insertInto('routing_configs')
    .values({ model_id: modelId, ...values })
    .onConflict((oc) => oc.column('model_id').doUpdateSet(values))
    .execute();
}

export const deleteConfig = (db: Db, modelId: string): Promise<boolean> =>
  deleteRows(db, 'routing_configs', { model_id: modelId });
