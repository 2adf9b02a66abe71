import { z } from 'zod';
import type { Db } from '../../platform/db/tables.ts';
import { candidateKey } from '../candidate.ts';
import type { Share } from '../window.ts';
import './tables.ts';

export interface CandidateId {
  provider: string;
  modelId: string;
  channelId: number;
}

export interface Totals {
  totalRequests: number;
  promptTokens: number;
  completionTokens: number;
  qualityScore: number;
}

/** New counts of one candidate from one process: what to add to the totals, and its complete last hour. */
export interface MetricsNews extends CandidateId {
  added: Totals;
  share: Share;
}

const shareSchema = z.object({
  quality: z.number(),
  slots: z.array(
    z.tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.array(z.number()), z.array(z.number())]),
  ),
});

/** Rows per statement: PostgreSQL takes 65,535 parameters, SQLite 32,766. */
const batch = 200;

const keyOf = (one: CandidateId): string => candidateKey(one.provider, one.modelId, one.channelId);

export async function saveMetrics(db: Db, process: string, news: readonly MetricsNews[], now: number): Promise<void> {
  if (news.length === 0) return;
  // Sorted, because two processes writing the same rows in different orders could deadlock.
  const sorted = [...news].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  await db.transaction().execute(async (tx) => {
    for (let i = 0; i < sorted.length; i += batch) {
      const part = sorted.slice(i, i + batch);
      await addTotals(tx, part, now);
      await tx
        .insertInto('routing_metric_shares')
        .values(
          part.map((one) => ({
            provider: one.provider,
            model_id: one.modelId,
            channel_id: one.channelId,
            process,
            share: JSON.stringify(one.share),
            updated_at: now,
          })),
        )
        .onConflict((oc) =>
          oc.columns(['provider', 'model_id', 'channel_id', 'process']).doUpdateSet((eb) => ({
            share: eb.ref('excluded.share'),
            updated_at: eb.ref('excluded.updated_at'),
          })),
        )
        .execute();
    }
  });
}

async function addTotals(db: Db, news: readonly MetricsNews[], now: number): Promise<void> {
  const table = 'routing_metric_totals' as const;
  await db
    .insertInto(table)
    .values(
      news.map((one) => ({
        provider: one.provider,
        model_id: one.modelId,
        channel_id: one.channelId,
        total_requests: one.added.totalRequests,
        prompt_tokens: one.added.promptTokens,
        completion_tokens: one.added.completionTokens,
        quality_score: one.added.qualityScore,
        updated_at: now,
      })),
    )
    .onConflict((oc) =>
      oc.columns(['provider', 'model_id', 'channel_id']).doUpdateSet((eb) => ({
        total_requests: eb(eb.ref(`${table}.total_requests`), '+', eb.ref('excluded.total_requests')),
        prompt_tokens: eb(eb.ref(`${table}.prompt_tokens`), '+', eb.ref('excluded.prompt_tokens')),
        completion_tokens: eb(eb.ref(`${table}.completion_tokens`), '+', eb.ref('excluded.completion_tokens')),
        quality_score: eb.ref('excluded.quality_score'),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    )
    .execute();
}

export async function loadTotals(db: Db): Promise<Map<string, Totals & CandidateId>> {
  const rows = await db.selectFrom('routing_metric_totals').selectAll().execute();
  return new Map(
    rows.map((row) => [
      candidateKey(row.provider, row.model_id, row.channel_id),
      {
        provider: row.provider,
        modelId: row.model_id,
        channelId: row.channel_id,
        totalRequests: row.total_requests,
        promptTokens: row.prompt_tokens,
        completionTokens: row.completion_tokens,
        qualityScore: row.quality_score,
      },
    ]),
  );
}

/** Shares of other processes and of earlier runs of this one, by candidate. */
export async function loadShares(db: Db, exceptProcess: string, since: number): Promise<Map<string, Share[]>> {
  const rows = await db
    .selectFrom('routing_metric_shares')
    .select(['provider', 'model_id', 'channel_id', 'share'])
    .where('updated_at', '>', since)
    .where('process', '!=', exceptProcess)
    .execute();
  const shares = new Map<string, Share[]>();
  for (const row of rows) {
    const key = candidateKey(row.provider, row.model_id, row.channel_id);
    const share = shareSchema.parse(JSON.parse(row.share));
    const list = shares.get(key);
    if (list) list.push(share);
    else shares.set(key, [share]);
  }
  return shares;
}

export async function sweepShares(db: Db, before: number): Promise<void> {
  await db.deleteFrom('routing_metric_shares').where('updated_at', '<=', before).execute();
}
