import { z } from 'zod';
import {
  createKey,
  type KeyDeps,
  type KeyView,
  keysOf,
  keyViewSchema,
  newKeySchema,
  removeKey,
} from '../../identity/keys.ts';
import { keySubject } from '../../identity/subjects.ts';
import type { Db } from '../../platform/db/tables.ts';
import { answered, done } from '../../platform/http/answers.ts';
import { idText } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { type BearerPrincipal, badToken, requireScope } from '../bearer.ts';
import type { Scope } from '../scopes.ts';
import { holdAccess } from '../store/tokens.ts';
import { base, noStore } from './shapes.ts';

/** Private details of a key: models, addresses, storage, previous secret and creator. */
const own = { models: true, allowed_ips: true, cache: true } as const;
const told = { saved_quota: true, saved_requests: true, previous: true, made_by: true, imposed: true } as const;
const tokenView = (key: KeyView) => {
  const { models: _, allowed_ips: __, cache: ___, saved_quota, saved_requests, previous, made_by, ...rest } = key;
  const { imposed: ____, ...view } = rest;
  return view;
};
const tokenSchema = keyViewSchema.omit({ ...own, ...told }).meta({ id: 'ApiToken' });

const shared = {
  ...base,
  auth: 'bearer',
  limit: { option: 'RateLimitApi', by: 'principal' },
  headers: noStore,
} as const;

const requiring = (scope: Scope) => ({ permits: (principal: BearerPrincipal) => requireScope(principal, scope) });

/** The user's API keys, managed by an application. */
export function apiTokenRoutes(keys: KeyDeps): Route[] {
  return [
    defineRoute({
      ...shared,
      ...requiring('tokens:read'),
      method: 'get',
      path: '/api/oauth2/tokens',
      summary: 'List the user’s API tokens, masked (scope tokens:read)',
      answers: { 200: answered(z.array(tokenSchema)) },
      handle: async (call) => ok(call, (await keysOf(keys, call.principal.user.id)).map(tokenView)),
    }),
    defineRoute({
      ...shared,
      ...requiring('tokens:write'),
      method: 'post',
      path: '/api/oauth2/tokens',
      summary: 'Create an API token for the user; the full key is shown only once (scope tokens:write)',
      idempotent: true,
      audit: { action: 'key_created', subject: keySubject(keys.db), id: (_, answer) => answer?.data.id },
      body: newKeySchema.omit({ ...own, status: true }),
      answers: { 200: answered(z.object({ id: z.number().int(), name: z.string(), key: z.string() })) },
      handle: async (call) => {
        const { user, applicationId, tokenId, scheme } = call.principal;
        const requireStill = async (tx: Db) => {
          if (!(await holdAccess(tx, tokenId))) throw badToken(scheme);
        };
        const maker = { userId: user.id, sessionId: null, applicationId, requireStill };
        const { id, name, key } = await createKey(keys, maker, call.body);
        return ok(call, { id, name, key });
      },
    }),
    defineRoute({
      ...shared,
      ...requiring('tokens:write'),
      method: 'delete',
      path: '/api/oauth2/tokens/{token_id}',
      summary: 'Delete one of the user’s API tokens (scope tokens:write)',
      params: z.object({ token_id: idText }),
      audit: { action: 'key_deleted', subject: keySubject(keys.db), id: (call) => call.params.token_id },
      answers: { 200: done },
      handle: async (call) => {
        await removeKey(keys, call.principal.user.id, call.params.token_id);
        return json(call, { success: true, message: 'The API token was deleted.' });
      },
    }),
  ];
}
