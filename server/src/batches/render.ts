import { oneLine } from '../lib/one-line.ts';
import { table } from '../lib/table.ts';
import type { BatchRow, RequestRow } from './store/tables.ts';

const unasked = table<{ code: string; message: string }>({
  canceled: { code: 'batch_cancelled', message: 'The batch was cancelled before this request was executed.' },
  expired: {
    code: 'batch_expired',
    message: 'This request could not be executed before the completion window expired.',
  },
});

/** One line of the results, in the batch's format. Answers are JSON already, which vendors may have laid out over lines. */
export const resultLine = (batch: Pick<BatchRow, 'wire' | 'id'>, row: RequestRow): string =>
  oneLine(resultText(batch, row));

function resultText({ wire, id }: Pick<BatchRow, 'wire' | 'id'>, row: RequestRow): string {
  const customId = JSON.stringify(row.custom_id);
  if (wire === 'anthropic') return `{"custom_id":${customId},"result":${anthropicResult(row)}}`;
  const head = `"id":"batch_req_${id.slice('batch_'.length)}_${row.position}","custom_id":${customId}`;
  const fault = unasked[row.state];
  if (fault) return `{${head},"response":null,"error":${JSON.stringify(fault)}}`;
  const { status_code: status, request_id: requestId, outcome } = row;
  return `{${head},"response":{"status_code":${status},"request_id":"${requestId}","body":${outcome}},"error":null}`;
}

function anthropicResult({ state, outcome }: RequestRow): string {
  if (state === 'succeeded') return `{"type":"succeeded","message":${outcome}}`;
  if (state === 'errored') return `{"type":"errored","error":${outcome}}`;
  return `{"type":"${state}"}`;
}

export const openaiBatch = (row: BatchRow) => ({
  id: row.id,
  object: 'batch',
  endpoint: row.endpoint,
  ...(row.model !== null && { model: row.model }),
  errors: row.errors === null ? null : JSON.parse(row.errors),
  input_file_id: row.input_file_id ?? '',
  completion_window: '24h',
  status: row.status,
  output_file_id: row.output_file_id,
  error_file_id: row.error_file_id,
  created_at: row.created_at,
  in_progress_at: row.in_progress_at,
  expires_at: row.expires_at,
  finalizing_at: row.finalizing_at,
  completed_at: row.status === 'completed' ? row.ended_at : null,
  failed_at: row.status === 'failed' ? row.ended_at : null,
  expired_at: row.status === 'expired' ? row.ended_at : null,
  cancelling_at: row.cancelling_at,
  cancelled_at: row.status === 'cancelled' ? row.ended_at : null,
  request_counts: {
    total: row.total,
    completed: row.succeeded,
    failed: row.errored + row.expired,
  },
  metadata: row.metadata === null ? null : JSON.parse(row.metadata),
});

const timeOf = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1_000).toISOString();

/** Before its lines are validated, all requests count as in progress. */
export const anthropicBatch = (row: BatchRow, baseUrl: string) => ({
  id: row.id,
  type: 'message_batch',
  processing_status: row.ended_at !== null ? 'ended' : row.status === 'cancelling' ? 'canceling' : 'in_progress',
  request_counts: {
    processing: row.total - row.succeeded - row.errored - row.canceled - row.expired,
    succeeded: row.succeeded,
    errored: row.errored,
    canceled: row.canceled,
    expired: row.expired,
  },
  created_at: timeOf(row.created_at),
  expires_at: timeOf(row.expires_at),
  ended_at: timeOf(row.ended_at),
  cancel_initiated_at: timeOf(row.cancelling_at),
  archived_at: null,
  results_url: row.results_blob === null ? null : `${baseUrl}/v1/messages/batches/${row.id}/results`,
});
