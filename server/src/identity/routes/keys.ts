import { z } from 'zod';
import { answered, done, management } from '../../platform/http/answers.ts';
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
import { endOverlap, rotateKey, rotationSchema } from '../rotate-key.ts';
import { keySubject } from '../subjects.ts';

const base = { ...management, tag: 'API keys', auth: 'session' } as const;
const one = answered(keyViewSchema);
const params = z.object({ id: idText });

export function keyRoutes(deps: KeyDeps): Route[] {
  const subject = keySubject(deps.db);
  return [
    defineRoute({
      ...base,
      method: 'get',
      path: '/api/tokens',
      summary: 'List your API keys, masked',
      answers: { 200: answered(z.array(keyViewSchema)) },
      handle: async (call) => ok(call, await keysOf(deps, call.principal.user.id)),
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/tokens',
      summary: 'Create an API key; the full key is shown only once',
      idempotent: true,
      body: newKeySchema,
      audit: { action: 'key_created', subject, id: (_, answer) => answer?.data.id },
      answers: { 200: one },
      handle: async (call) => {
        const { user, sessionId } = call.principal;
        return ok(call, await createKey(deps, { userId: user.id, sessionId }, call.body));
      },
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: '/api/tokens/{id}',
      summary: 'Update an API key',
      params,
      body: keyChangeSchema,
      audit: { action: 'key_updated', subject, id: (call) => call.params.id },
      answers: { 200: one },
      handle: async (call) => ok(call, await updateKey(deps, call.principal.user.id, call.params.id, call.body)),
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/tokens/{id}/rotate',
      summary: 'Rotate an API key; the new secret is shown only once, and the old one keeps working for a while',
      idempotent: true,
      params,
      body: rotationSchema,
      audit: { action: 'key_rotated', subject, id: (call) => call.params.id },
      answers: { 200: one },
      handle: async (call) => {
        const { user, sessionId } = call.principal;
        call.headers['cache-control'] = 'no-store';
        return ok(call, await rotateKey(deps, { userId: user.id, sessionId }, call.params.id, call.body));
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: '/api/tokens/{id}/previous',
      summary: 'Revoke the previous secret of a rotated API key',
      params,
      audit: { action: 'key_overlap_ended', subject, id: (call) => call.params.id },
      answers: { 200: done },
      handle: async (call) => {
        await endOverlap(deps, call.principal.user.id, call.params.id);
        return json(call, { success: true, message: 'The old secret was revoked.' });
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: '/api/tokens/{id}',
      summary: 'Delete an API key',
      params,
      audit: { action: 'key_deleted', subject, id: (call) => call.params.id },
      answers: { 200: done },
      handle: async (call) => {
        await removeKey(deps, call.principal.user.id, call.params.id);
        return json(call, { success: true, message: 'The API key was deleted.' });
      },
    }),
  ];
}
