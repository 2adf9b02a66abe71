import { openaiError } from '../../lib/error-shapes.ts';
import type { AppError } from '../../lib/errors.ts';
import { table } from '../../lib/table.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import { shown } from './items.ts';
import type { Item, ResponseObject } from './keeper.ts';
import { restoreDefaults } from './response-defaults.ts';
import type { ResponseRow } from './store/tables.ts';

/** The response in its row's current state. */
export const responseOf = (
  row: Pick<ResponseRow, 'id' | 'response' | 'status'>,
  output: Item[],
  include: readonly string[] = [],
): ResponseObject => ({
  ...restoreDefaults(row.response),
  id: row.id,
  status: row.status,
  output: output.map((item) => shown(item, include)),
});

/** OpenAI's error codes of a response, by status; it has none for others, and the request's own code tells the cause. */
const codes: Record<number, string> = { 400: 'invalid_prompt', 429: 'rate_limit_exceeded' };
const codeOf = ({ status }: AppError, code: unknown): unknown =>
  codes[status] ?? (status >= 500 ? 'server_error' : code);

/** A response that could not be answered. */
export function failureOf(row: ResponseRow, thrown: unknown): ResponseObject {
  const fault = toAppError(thrown);
  const { code, message } = openaiError(fault);
  const error = { code: codeOf(fault, code), message };
  return { ...responseOf({ ...row, status: 'failed' }, []), error };
}

const endTypes = table<string>({
  completed: 'response.completed',
  incomplete: 'response.incomplete',
  failed: 'response.failed',
});

/** The last event's type; none for a cancelled response. */
export const endType = (status: string): string | undefined => endTypes[status];

/** A list as OpenAI's clients page through it; `items` may have one more than shown. */
export function listOf(items: Item[], limit: number, include: readonly string[]) {
  const data = items.slice(0, limit).map((item) => shown(item, include));
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: items.length > limit,
  };
}
