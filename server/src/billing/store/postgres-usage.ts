import { sql } from 'kysely';

/** The columns of a usage row as PostgreSQL reads them out of a JSON batch. */
export const usageFields = `request_id text, user_id bigint, key_id bigint, model_id text, endpoint text, provider text,
  channel_id bigint, prompt_tokens bigint, completion_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint,
  cache_write_1h_tokens bigint, reasoning_tokens bigint, audio_in_tokens bigint, image_in_tokens bigint,
  audio_out_tokens bigint, estimated bigint, units double precision, quota bigint, cost_parts text, shortfall bigint,
  balance_after bigint, stream bigint, status text,
  duration_ms bigint, first_token_ms bigint, created_at bigint`;

const names = usageFields
  .split(',')
  .map((field) => field.trim().split(' ')[0])
  .join(', ');

/**
 * Common table expressions that write `used` to the log and the sums. The sums are written in order of their key, so that
 * two processes that add to the same days wait for each other instead of locking each other out.
 */
export const writeUsage = sql`logged as (
      insert into usage_logs (${sql.raw(names)}) select ${sql.raw(names)} from used order by n
    ), summed as (
      insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
      select user_id, created_at / 86400, model_id, key_id, count(*), sum(prompt_tokens), sum(completion_tokens), sum(quota)
      from used group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (user_id, day, model_id, key_id) do update set requests = usage_days.requests + excluded.requests,
        prompt_tokens = usage_days.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = usage_days.completion_tokens + excluded.completion_tokens,
        quota = usage_days.quota + excluded.quota
    )`;
