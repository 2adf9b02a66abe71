import { z } from 'zod';
import { AppError } from '../lib/errors.ts';
import { idText } from '../platform/http/paging.ts';
import type { UsageFilter } from './store/usage-sums.ts';

/** Filters that answered and failed requests have in common. */
export const filterFields = {
  model: z.string().min(1).max(256).optional(),
  token_id: idText.optional(),
  from: idText.optional(),
  to: idText.optional(),
};
export type Filters = { model?: string; token_id?: number; from?: number; to?: number };

export function filterOf(query: Filters, userId: number | undefined): UsageFilter {
  if (query.from !== undefined && query.to !== undefined && query.from > query.to)
    throw new AppError('invalid_value', 'from must not be later than to.', { param: 'from' });
  return { userId, keyId: query.token_id, modelId: query.model, from: query.from, to: query.to };
}
