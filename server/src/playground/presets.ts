import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { withLock } from '../platform/db/with-lock.ts';
import { isTaken } from '../platform/durable/errors.ts';
import type { PlaygroundDeps } from './deps.ts';
import { limits } from './limits.ts';
import { countPresets, insertPreset, updatePreset } from './store/presets.ts';
import type { PresetRow } from './store/tables.ts';

export const noPreset = () => new AppError('not_found', 'Preset not found');

const nameTaken = (error: unknown): never => {
  if (isTaken(error, 'playground_presets'))
    throw new AppError('conflict', 'You already have a preset with this name.', { param: 'name' });
  throw error;
};

type Words = Pick<PresetRow, 'name' | 'prompt'>;

export function createPreset({ db, clock }: PlaygroundDeps, userId: number, words: Words): Promise<PresetRow> {
  const now = nowSeconds(clock);
  return db
    .transaction()
    .execute(async (tx) => {
      await withLock(tx, 'playground', userId);
      if ((await countPresets(tx, userId)) >= limits.presets)
        throw new AppError('forbidden', `You have reached the limit of ${limits.presets} presets. Delete some first.`);
      return insertPreset(tx, { ...words, user_id: userId, created_at: now, updated_at: now });
    })
    .catch(nameTaken);
}

export async function changePreset(
  { db, clock }: PlaygroundDeps,
  userId: number,
  id: number,
  changes: Partial<Words>,
): Promise<PresetRow> {
  const written = { ...changes, updated_at: nowSeconds(clock) };
  const changed = await updatePreset(db, userId, id, written).catch(nameTaken);
  if (!changed) throw noPreset();
  return changed;
}
