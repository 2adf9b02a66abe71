import { z } from '@hono/zod-openapi';
import { idText } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import {
  createKey,
  type KeyDeps,
  keyChangeSchema,
  keysOf,
  keyViewSchema,
  newKeySchema,
  removeKey,
  updateKey,
} from '../keys.ts';

const base = {
  tag: 'API keys',
  errors: 'management',
  auth: 'session',
  limit: { option: 'RateLimitApi', by: 'principal' },
} as const;
const one = z.object({ success: z.literal(true), data: keyViewSchema });
const params = z.object({ id: idText });

export function keyRoutes(deps: KeyDeps): Route[] {
  return [
    defineRoute({
      ...base,
      method: 'get',
      path: '/api/tokens',
      summary: 'My API keys, masked',
      answers: { 200: z.object({ success: z.literal(true), data: z.array(keyViewSchema) }) },
      handle: async (call) => ok(call, await keysOf(deps, call.principal.user.id)),
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/tokens',
      summary: 'Create an API key; the full key is shown once',
      body: newKeySchema,
      answers: { 200: one },
      handle: async (call) => ok(call, await createKey(deps, call.principal.user.id, call.body)),
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: '/api/tokens/{id}',
      summary: 'Change an API key',
      params,
      body: keyChangeSchema,
      answers: { 200: one },
      handle: async (call) => ok(call, await updateKey(deps, call.principal.user.id, call.params.id, call.body)),
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: '/api/tokens/{id}',
      summary: 'Delete an API key',
      params,
      answers: { 200: z.object({ success: z.literal(true), message: z.string() }) },
      handle: async (call) => {
        await removeKey(deps, call.principal.user.id, call.params.id);
        return json(call, { success: true, message: 'The API key is deleted.' });
      },
    }),
  ];
}
