import { z } from 'zod';
import type {} from '../../identity/principals.ts';
import { management } from '../../platform/http/answers.ts';
import { nothingAsked } from '../../platform/http/paging.ts';

/** Unknown parameters are refused, so that a misspelt one is not ignored. */
export const base = { ...management, query: nothingAsked, tag: 'Playground', auth: 'session' } as const;

export const int = z.number().int();
export const root = '/api/playground';
