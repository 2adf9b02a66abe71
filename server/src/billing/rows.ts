import { storableText } from '../lib/storable-text.ts';
import { packCosts } from './cost-parts.ts';
import type { Levels } from './levels.ts';
import { type HoldRow, type KeptRow, type UsageRow, windowsText } from './store/port.ts';
import type { AnswerToKeep, Hold, HoldRequest, UsageDetail } from './types.ts';

/** Upstreams report counts too: a nonsensical number must not fail the settlement. */
const largest = 1_000_000_000_000_000;
export function wholeCount(value: number | undefined): number {
  const n = Math.ceil(value ?? 0);
  return n > 0 ? Math.min(n, largest) : 0;
}

/** PostgreSQL rejects NUL in text, and one such name would fail a whole batch. */
const text = (value: string): string => (value.includes('\0') ? value.replaceAll('\0', '') : value);

/**
 * A longer answer would delay all other charges in the same commit. Texts are a tenth of this. Longer answers (many
 * embeddings at once) are requested again if the process dies just before it has stored them elsewhere.
 */
export const longestKept = 1024 * 1024;

/**
 * Null if the answer is too long. Text that a database would reject is repaired: the answer must not fail its charge.
 */
export function keptRow(
  { requestId, userId, levels }: Pick<Hold, 'requestId' | 'userId' | 'levels'>,
  { work, call, body }: AnswerToKeep,
  nowSeconds: number,
): KeptRow | null {
  if (body.length > longestKept) return null;
  return {
    ...{
      work: storableText(work),
      call: storableText(call),
      request_id: requestId,
      user_id: levels?.keyUserId ?? userId,
    },
    ...{ created_at: nowSeconds, body: storableText(body) },
  };
}

/** The row of a durable hold, which survives this process. */
export function durableRow(request: HoldRequest, levels: Levels | null, nowSeconds: number): HoldRow {
  const amount = wholeCount(request.amount);
  return {
    request_id: request.requestId,
    user_id: levels ? levels.payerId : request.userId,
    key_id: request.keyId ?? 0,
    amount,
    key_amount: request.keyId === null || request.keyUnlimited ? -1 : amount,
    model_id: text(request.modelId),
    estimate: request.estimateDetail ? text(JSON.stringify(request.estimateDetail)) : '{}',
    owner: '',
    expires_at: Math.ceil(request.durableUntilMs! / 1000),
    created_at: nowSeconds,
    levels: windowsText(levels?.budgets.map(({ windowId }) => windowId) ?? []),
  };
}

export const toHold = (
  row: Pick<HoldRow, 'request_id' | 'user_id' | 'key_id' | 'amount' | 'key_amount' | 'model_id'>,
): Hold => ({
  requestId: row.request_id,
  userId: row.user_id,
  keyId: row.key_id,
  keyUnlimited: row.key_amount < 0,
  amount: row.amount,
  modelId: row.model_id,
  stored: true,
  durable: true,
  levels: null,
});

export function usageRow(
  hold: Pick<Hold, 'requestId' | 'userId' | 'keyId' | 'modelId'>,
  detail: UsageDetail,
  cost: number,
  nowSeconds: number,
): UsageRow {
  const { usage } = detail;
  const units = usage.units ?? 0;
  return {
    request_id: hold.requestId,
    user_id: hold.userId,
    key_id: hold.keyId,
    model_id: text(hold.modelId),
    endpoint: text(detail.endpoint),
    provider: text(detail.provider ?? ''),
    channel_id: detail.channelId ?? 0,
    prompt_tokens: wholeCount(usage.promptTokens),
    completion_tokens: wholeCount(usage.completionTokens),
    cache_read_tokens: wholeCount(usage.cacheReadTokens),
    cache_write_tokens: wholeCount(usage.cacheWriteTokens),
    cache_write_1h_tokens: wholeCount(usage.cacheWrite1hTokens),
    reasoning_tokens: wholeCount(usage.reasoningTokens),
    audio_in_tokens: wholeCount(usage.audioInTokens),
    image_in_tokens: wholeCount(usage.imageInTokens),
    audio_out_tokens: wholeCount(usage.audioOutTokens),
    web_searches: wholeCount(usage.searches),
    estimated: usage.estimated ? 1 : 0,
    units: Number.isFinite(units) && units > 0 ? units : 0,
    quota: wholeCount(cost),
    cost_parts: packCosts(detail.price, usage, wholeCount(cost)),
    shortfall: 0,
    balance_after: 0,
    stream: detail.stream ? 1 : 0,
    status: detail.status ?? 'ok',
    duration_ms: wholeCount(detail.durationMs),
    first_token_ms: wholeCount(detail.firstTokenMs),
    parent_request_id: detail.parentRequestId === undefined ? null : text(detail.parentRequestId),
    own_key: detail.ownKey ? 1 : 0,
    saved_quota: wholeCount(detail.savedQuota),
    created_at: nowSeconds,
  };
}
