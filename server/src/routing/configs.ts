import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { ModelConfig } from './rank.ts';
import { defaultWeights, type Strategy, type Weights } from './score.ts';
import { deleteConfig, readConfig, readConfigs, writeConfig } from './store/configs.ts';

export interface ConfigPatch {
  weights?: Partial<Weights>;
  defaultStrategy?: Strategy | null;
}

export interface ConfigCache {
  get(modelId: string): ModelConfig | null;
  all(): ReadonlyMap<string, ModelConfig>;
  update(modelId: string, patch: ConfigPatch): Promise<ModelConfig>;
  /** False if there was none. */
  remove(modelId: string): Promise<boolean>;
  /** Also called once per cycle, in case a message was lost. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

interface ConfigDeps {
  db: Db;
  clock: Clock;
  shared: Shared;
  onError?: (error: unknown) => void;
}

const channel = 'routing:configs';

function merge(current: ModelConfig | null, patch: ConfigPatch): ModelConfig {
  const weights = { ...(current?.weights ?? defaultWeights), ...patch.weights };
  if (weights.latency + weights.successRate + weights.price + weights.priority <= 0) {
    throw new AppError('invalid_value', 'The weights must not all be zero.', { param: 'latency_weight' });
  }
  const defaultStrategy = patch.defaultStrategy === undefined ? current?.defaultStrategy : patch.defaultStrategy;
  return { weights, defaultStrategy: defaultStrategy ?? null };
}

/**
 * All configurations, in memory: at most one row per model. Reloaded on every `routing:configs` message and reconnect.
 */
export async function openConfigs(deps: ConfigDeps): Promise<ConfigCache> {
  const { db, clock, shared, onError } = deps;
  let configs = await readConfigs(db);
  let [started, applied] = [0, 0];
  const reload = async (): Promise<void> => {
    started += 1;
    const ticket = started;
    const read = await readConfigs(db);
    // Concurrent reads may finish out of order: an older one must not overwrite a newer one.
    if (ticket < applied) return;
    applied = ticket;
    configs = read;
  };
  const reloadQuietly = (): void => {
    reload().catch((error) => onError?.(error));
  };
  const unsubscribe = await shared.subscribe(channel, reloadQuietly, reloadQuietly);
  const changed = async (): Promise<void> => {
    await reload();
    await shared.publish(channel, '').catch(() => {});
  };
  return {
    get: (modelId) => configs.get(modelId) ?? null,
    all: () => configs,
    async update(modelId, patch) {
      const config = merge(await readConfig(db, modelId), patch);
      await writeConfig(db, modelId, config, Math.floor(clock.nowMs() / 1000));
      await changed();
      return config;
    },
    async remove(modelId) {
      const removed = await deleteConfig(db, modelId);
      await changed();
      return removed;
    },
    reload,
    close: unsubscribe,
  };
}
