import { sql } from 'kysely';
import type { Db } from '../../../platform/db/tables.ts';
import { bytesOfRow } from '../../../platform/storage-quota/sizes.ts';
import './tables.ts';

export interface Step {
  key: string;
  /** JSON. */
  result: string;
  tokens: number;
}

/** Bytes the steps take in storage. */
export const bytesOfSteps = (steps: Step[]): number =>
  steps.reduce((bytes, { result }) => bytes + bytesOfRow(result), 0);

/** Loads journal results by key. */
export async function loadSteps(db: Db, runRef: number, keys: string[]): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  for (let i = 0; i < keys.length; i += 200) {
    const rows = await db
      .selectFrom('ms_run_steps')
      .select(['step_key', 'result'])
      .where('run_ref', '=', runRef)
      .where('step_key', 'in', keys.slice(i, i + 200))
      .execute();
    for (const { step_key, result } of rows) found.set(step_key, JSON.parse(result));
  }
  return found;
}

/** Whether the journal has a step whose key starts with the prefix. */
export async function hasStep(db: Db, runRef: number, prefix: string): Promise<boolean> {
  const row = await db
    .selectFrom('ms_run_steps')
    .select('step_key')
    .where('run_ref', '=', runRef)
    // Not `like`: a part of the prefix is user input and may contain wildcards.
    .where(sql`substr(step_key, 1, ${sql.lit(prefix.length)})`, '=', prefix)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function addSteps(tx: Db, run: { ref: number; epoch: number }, steps: Step[], now: number): Promise<void> {
  if (steps.length === 0) return;
  const rows = steps.map(({ key, result, tokens }) => ({
    run_ref: run.ref,
    step_key: key,
    epoch: run.epoch,
    result,
    tokens,
    created_at: now,
  }));
  await tx.insertInto('ms_run_steps').values(rows).execute();
}
