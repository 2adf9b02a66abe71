import { z } from 'zod';
import type {} from '../../identity/principals.ts';
import { AppError } from '../../lib/errors.ts';
import { answered, management } from '../../platform/http/answers.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import type { KeptContents } from './open.ts';

const standing = z
  .object({
    days: z.number().int().describe('How long prompts and answers are stored; 0 if the operator stores none'),
    keep: z.boolean().describe('Whether your prompts and answers are stored'),
  })
  .meta({ id: 'ContentConsent' });

const base = {
  ...management,
  tag: 'Usage',
  auth: 'session',
  path: '/api/user/request-contents',
  answers: { 200: answered(standing) },
} as const;

export const contentRoutes = (contents: KeptContents): Route[] => [
  defineRoute({
    ...base,
    method: 'get',
    summary: 'Get whether your prompts and answers are stored with your requests',
    handle: async (call) => {
      const keep = await contents.allows(call.principal.user.id);
      return ok(call, { days: contents.keptDays(), keep });
    },
  }),
  defineRoute({
    ...base,
    method: 'put',
    summary:
      'Set whether your prompts and answers are stored for you and administrators; turning it off deletes what was stored',
    body: z.strictObject({ keep: z.boolean() }),
    handle: async (call) => {
      const { keep } = call.body;
      const days = contents.keptDays();
      if (keep && days === 0)
        throw new AppError('invalid_value', 'This service does not store prompts and answers.', { param: 'keep' });
      await contents.setConsent(call.principal.user.id, keep);
      return ok(call, { days, keep });
    },
  }),
];
