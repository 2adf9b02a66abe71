import { sql } from 'kysely';
import type { Db } from '../../platform/db/tables.ts';
import type { Difficulty } from '../params.ts';
import { type Kind, mostKept, type Pattern } from '../patterns.ts';
import './tables.ts';

export async function loadPatterns(db: Db, userId: number): Promise<(Pattern & { updatedAt: number })[]> {
  const rows = await db
    .selectFrom('ms_patterns')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('kind')
    .orderBy('difficulty')
    .orderBy('model')
    .execute();
  return rows.map((row) => ({
    kind: row.kind as Kind,
    difficulty: row.difficulty as Difficulty,
    model: row.model,
    successes: row.successes,
    failures: row.failures,
    updatedAt: row.updated_at,
  }));
}

export interface Outcome {
  kind: Kind;
  difficulty: Difficulty;
  model: string;
  ok: boolean;
}

export async function recordOutcomes(db: Db, userId: number, outcomes: Outcome[], now: number): Promise<void> {
  for (const { kind, difficulty, model, ok } of outcomes) {
    await db
      .insertInto('ms_patterns')
      .values({
        user_id: userId,
        kind,
        difficulty,
        model,
        successes: ok ? 1 : 0,
        failures: ok ? 0 : 1,
        updated_at: now,
      })
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'kind', 'difficulty', 'model']).doUpdateSet({
          successes: sql`${kept('successes')} + ${sql.lit(ok ? 1 : 0)}`,
          failures: sql`${kept('failures')} + ${sql.lit(ok ? 0 : 1)}`,
          updated_at: now,
        }),
      )
      .execute();
  }
}

/** Halves the counts once there are many; rounds up, so that a rare failure is not forgotten at once. */
const kept = (count: 'successes' | 'failures') => {
  const column = sql.ref<number>(`ms_patterns.${count}`);
  return sql<number>`case when ms_patterns.successes + ms_patterns.failures >= ${sql.lit(mostKept)}
    then (${column} + 1) / 2 else ${column} end`;
};
