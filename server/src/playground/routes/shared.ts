import { z } from 'zod';
import type {} from '../../identity/principals.ts';

/** Parameters that an endpoint does not have are refused, or a slip of the pen would pass for none. */
export const base = {
  query: z.strictObject({}),
  tag: 'Playground',
  auth: 'session',
  errors: 'management',
  limit: { option: 'RateLimitApi', by: 'principal' },
} as const;

export const int = z.number().int();
export const root = '/api/playground';
