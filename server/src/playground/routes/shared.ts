import { z } from 'zod';
import type {} from '../../identity/principals.ts';
import { management } from '../../platform/http/answers.ts';
import { nothingAsked } from '../../platform/http/paging.ts';

/** Parameters that an endpoint does not have are refused, or a slip of the pen would pass for none. */
export const base = { ...management, query: nothingAsked, tag: 'Playground', auth: 'session' } as const;

export const int = z.number().int();
export const root = '/api/playground';
