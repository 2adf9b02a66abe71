import { z } from 'zod';
import type { Usage } from '../lib/money.ts';
import { type BillName, billOf, billParts } from './cost-parts.ts';
import { secondsPerDay } from './store/port.ts';
import type { LedgerRow } from './store/tables.ts';
import type { UsageLog } from './store/usage.ts';
import type { GroupBy, UsageSum } from './store/usage-sums.ts';

const int = z.number().int();

/** For requests that an application made on behalf of the user, with the scope models:use. */
const applicationFields = {
  application_id: int.nullable(),
  application: z.string().nullable().describe('Name of the application when the user authorized it'),
};
export type KeyApplications = ReadonlyMap<number, { id: number; name: string }>;
const noApplications: KeyApplications = new Map();

const applicationOf = (applications: KeyApplications, keyId: number) => {
  const found = applications.get(keyId);
  return { application_id: found?.id ?? null, application: found?.name ?? null };
};

export const usageLogSchema = z
  .object({
    id: int,
    request_id: z.string(),
    user_id: int,
    token_id: int.nullable(),
    model: z.string(),
    endpoint: z.string(),
    provider: z.string(),
    channel_id: int.nullable(),
    prompt_tokens: int,
    completion_tokens: int,
    cache_read_tokens: int,
    cache_write_tokens: int,
    cache_write_1h_tokens: int,
    reasoning_tokens: int,
    audio_in_tokens: int,
    image_in_tokens: int,
    audio_out_tokens: int,
    estimated: z.boolean().describe('The service counted the tokens, because the upstream’s numbers could not be used'),
    units: z.number(),
    quota: int,
    shortfall: int,
    parts: z
      .array(
        z.object({
          part: z.enum(billParts as [BillName, ...BillName[]]),
          tokens: int.optional(),
          units: z.number().optional(),
          cost: int.nullable().describe('In quota units; null if unknown'),
        }),
      )
      .describe('Usage and cost of each part; the costs add up to quota + shortfall'),
    stream: z.boolean(),
    status: z.string(),
    duration_ms: int,
    first_token_ms: int.nullable(),
    parent_request_id: z
      .string()
      .nullable()
      .describe('Id of the turn (`svc_ms_meta.request_id`) or run (`execution_id`) that made the request'),
    own_key: z.boolean().describe('The request used the user’s own key; the cost is only the fee'),
    saved_quota: int.describe('Cost that a cached answer for the key saved; it was not charged'),
    created_at: int,
    ...applicationFields,
    web_searches: int.describe("Web searches run by the model's vendor"),
  })
  .meta({ id: 'UsageLog' });

type TokenColumns = Pick<UsageLog, Extract<keyof UsageLog, `${string}_tokens` | 'units' | 'web_searches'>>;

const usageIn = (log: TokenColumns): Usage => ({
  promptTokens: log.prompt_tokens,
  completionTokens: log.completion_tokens,
  cacheReadTokens: log.cache_read_tokens,
  cacheWriteTokens: log.cache_write_tokens,
  cacheWrite1hTokens: log.cache_write_1h_tokens,
  reasoningTokens: log.reasoning_tokens,
  audioInTokens: log.audio_in_tokens,
  imageInTokens: log.image_in_tokens,
  audioOutTokens: log.audio_out_tokens,
  units: log.units,
  searches: log.web_searches,
});

export function viewUsage(
  {
    key_id,
    model_id,
    channel_id,
    stream,
    first_token_ms,
    balance_after: _,
    estimated,
    own_key,
    cost_parts,
    ...log
  }: UsageLog,
  applications = noApplications,
): z.infer<typeof usageLogSchema> {
  return {
    ...log,
    ...applicationOf(applications, key_id),
    model: model_id,
    token_id: key_id || null,
    channel_id: channel_id || null,
    first_token_ms: first_token_ms || null,
    stream: stream === 1,
    estimated: estimated === 1,
    own_key: own_key === 1,
    parts: billOf(usageIn(log), cost_parts, log.quota + log.shortfall),
  };
}

export const usageSumSchema = z
  .object({
    day: z.string().optional().meta({ example: '2026-01-31' }),
    model: z.string().optional(),
    token_id: int.nullable().optional(),
    application_id: int.optional(),
    application: z.string().optional(),
    requests: int,
    prompt_tokens: int,
    completion_tokens: int,
    quota: int,
  })
  .meta({ id: 'UsageSum' });

type GroupView = (group: number | string, applications: KeyApplications) => Partial<z.infer<typeof usageSumSchema>>;
const groupViews: Record<GroupBy, GroupView> = {
  day: (day) => ({ day: new Date(Number(day) * secondsPerDay * 1000).toISOString().slice(0, 10) }),
  model: (model) => ({ model: String(model) }),
  token: (id, applications) => {
    const found = applications.get(Number(id));
    return { token_id: Number(id) || null, ...(found && { application_id: found.id, application: found.name }) };
  },
};

export const viewSum = (
  groupBy: GroupBy,
  { group, ...sums }: UsageSum,
  applications = noApplications,
): z.infer<typeof usageSumSchema> => ({
  ...groupViews[groupBy](group, applications),
  ...sums,
});

export const ledgerSchema = z
  .object({
    id: int,
    user_id: int,
    kind: z.enum(['usage', 'grant']),
    amount: int,
    balance_after: int,
    request_id: z.string().nullable(),
    token_id: int.nullable(),
    model: z.string().nullable(),
    shortfall: int,
    note: z.string(),
    actor_id: int.nullable(),
    created_at: int,
  })
  .meta({ id: 'LedgerEntry' });

export const viewLedger = ({ key_id, model_id, ...row }: LedgerRow): z.infer<typeof ledgerSchema> => ({
  ...row,
  request_id: row.request_id || null,
  token_id: key_id || null,
  model: model_id || null,
  actor_id: row.actor_id || null,
});
