import { z } from 'zod';
import { answered, done, listed, management } from '../../platform/http/answers.ts';
import { idText, pageFields } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { changeUserAsAdmin } from '../accounts.ts';
import { factorsChanged, requireOwnFactor } from '../factors/required.ts';
import type { LinkDeps } from '../links/deps.ts';
import { notifyUser } from '../notices.ts';
import { requireLowerRole } from '../role-checks.ts';
import { deleteFactors } from '../store/factors.ts';
import { listUsers } from '../store/names.ts';
import { optionSubject, userSubject } from '../subjects.ts';
import { displayNameRule, userSchema } from '../user.ts';

const base = { ...management, tag: 'Administration', auth: 'admin' } as const;

/** At most a page: callers have ids from a list and want their names. */
const idList = z
  .string()
  .regex(/^\d{1,15}(,\d{1,15}){0,99}$/, 'must be up to 100 whole numbers, separated by commas')
  .transform((text) => text.split(',').map(Number))
  .meta({ type: 'string', example: '1,2' });

const optionSchema = z.object({
  key: z.string(),
  value: z.union([z.boolean(), z.number(), z.string()]),
  default: z.union([z.boolean(), z.number(), z.string()]),
  description: z.string(),
});

export function adminRoutes(deps: LinkDeps): Route[] {
  return [
    defineRoute({
      ...base,
      method: 'get',
      path: '/api/admin/users',
      summary: 'List users',
      query: z.strictObject({ ...pageFields, q: z.string().max(200).default(''), ids: idList.optional() }),
      answers: { 200: listed({ users: z.array(userSchema) }) },
      handle: async (call) => {
        const { page, page_size, q, ids } = call.query;
        return ok(call, { ...(await listUsers(deps.db, { page, page_size }, { q, ids })), page, page_size });
      },
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: '/api/admin/users/{id}',
      summary: 'Update a user',
      params: z.object({ id: idText }),
      body: z.object({
        status: z.union([z.literal(1), z.literal(2)]).optional(),
        role: z.union([z.literal(1), z.literal(10), z.literal(100)]).optional(),
        group: z
          .string()
          .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1-64 characters of A-Z a-z 0-9 _ . -')
          .optional(),
        email_verified: z.boolean().optional(),
        email: z
          .string()
          .optional()
          .describe('With `email_verified`: the address to verify; 409 if it has changed since'),
        display_name: displayNameRule.optional(),
      }),
      audit: { action: 'user_updated', subject: userSubject(deps.db), id: (call) => call.params.id },
      answers: { 200: answered(userSchema) },
      handle: async (call) => ok(call, await changeUserAsAdmin(deps, call.principal.user, call.params.id, call.body)),
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: '/api/admin/users/{id}/factors',
      summary: 'Remove the second factors of a user who lost them',
      params: z.object({ id: idText }),
      audit: {
        action: 'factors_removed',
        subject: { type: 'user' },
        id: (call) => call.params.id,
        also: () => ({ second_factors: 'removed' }),
      },
      answers: { 200: done },
      handle: async (call) => {
        await requireLowerRole(deps.db, call.principal.user, call.params.id, 'remove second factors of');
        await deleteFactors(deps.db, call.params.id);
        await factorsChanged(deps, call.params.id);
        await notifyUser(deps, call.params.id, 'factors_removed', { by: call.principal.user.username });
        return json(call, { success: true, message: 'The user now logs in with the password only.' });
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: '/api/admin/options',
      summary: 'List runtime options',
      answers: { 200: answered(z.array(optionSchema)) },
      handle: (call) => ok(call, deps.options.all()),
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: '/api/admin/options',
      summary: 'Set a runtime option',
      body: z.object({ key: z.string().max(100), value: z.union([z.boolean(), z.number(), z.string()]) }),
      audit: { action: 'option_set', subject: optionSubject(deps.options), id: (call) => call.body.key },
      answers: { 200: answered(optionSchema) },
      handle: async (call) => {
        await requireOwnFactor(deps, call.principal.user, call.body);
        await deps.options.set(call.body.key, call.body.value);
        return ok(
          call,
          deps.options.all().find((option) => option.key === call.body.key),
        );
      },
    }),
  ];
}
