import { z } from 'zod';
import type { FailureRow } from './store/failures.ts';

const int = z.number().int();

const fields = {
  id: int,
  request_id: z.string(),
  user_id: int,
  token_id: int.nullable(),
  model: z.string(),
  endpoint: z.string(),
  status: int.describe('Status returned, or that would have been returned if the stream had not started'),
  code: z.string(),
  message: z.string().describe('Error message returned to the caller'),
  duration_ms: int,
  parent_request_id: z.string().nullable(),
  created_at: int,
};

export const failureSchema = z.object(fields).meta({ id: 'FailedRequest' });

/** Only operators see the upstream's message: it may name their account, key or address there. */
export const wholeFailureSchema = z
  .object({
    ...fields,
    provider: z.string().nullable().describe('Last provider tried; null if none was'),
    channel_id: int.nullable(),
    upstream_status: int.nullable(),
    upstream_message: z.string().nullable(),
  })
  .meta({ id: 'FailedRequestWithUpstream' });

export const viewFailure = (row: FailureRow): z.infer<typeof failureSchema> => ({
  id: row.id,
  request_id: row.request_id,
  user_id: row.user_id,
  token_id: row.key_id || null,
  model: row.model_id,
  endpoint: row.endpoint,
  status: row.status,
  code: row.code,
  message: row.message,
  duration_ms: row.duration_ms,
  parent_request_id: row.parent_request_id,
  created_at: row.created_at,
});

export const viewWholeFailure = (row: FailureRow): z.infer<typeof wholeFailureSchema> => ({
  ...viewFailure(row),
  provider: row.provider,
  channel_id: row.channel_id,
  upstream_status: row.upstream_status,
  upstream_message: row.upstream_message,
});
