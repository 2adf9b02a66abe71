/** The columns of a usage row as PostgreSQL reads them out of a JSON batch. */
export const usageFields = `request_id text, user_id bigint, key_id bigint, model_id text, endpoint text, provider text,
  channel_id bigint, prompt_tokens bigint, completion_tokens bigint, cache_read_tokens bigint, cache_write_tokens bigint,
  cache_write_1h_tokens bigint, reasoning_tokens bigint, audio_in_tokens bigint, image_in_tokens bigint,
  audio_out_tokens bigint, web_searches bigint, estimated bigint, units double precision, quota bigint, cost_parts text, shortfall bigint,
  balance_after bigint, stream bigint, status text,
  duration_ms bigint, first_token_ms bigint, parent_request_id text, own_key bigint, saved_quota bigint,
  created_at bigint`;

export const usageNames = usageFields
  .split(',')
  .map((field) => field.trim().split(' ')[0])
  .join(', ');
