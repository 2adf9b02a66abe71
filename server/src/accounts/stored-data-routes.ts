import { z } from 'zod';
import { requireUser } from '../identity/role-checks.ts';
import { requireMembership } from '../organisations/membership.ts';
import { answered, done, management } from '../platform/http/answers.ts';
import { idText } from '../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../platform/http/route.ts';
import type { AccountDataDeps } from './deps.ts';
import { type StoredByCategory, storedByCategory, sumOf } from './stored-by-category.ts';

const bytes = z.number().int();
const partNames = [
  ...['responses', 'files', 'batches', 'sessions', 'knowledge', 'memory', 'chats', 'contents'],
] as (keyof StoredByCategory)[];
const kept = answered(
  z
    .object({
      bytes,
      most_bytes: bytes.nullable().meta({ description: 'Storage limit of the account; null for no limit' }),
      parts: z.array(z.object({ name: z.enum(partNames), bytes })),
    })
    .meta({ id: 'Kept' }),
);
/** There is no API to list them, so clients cannot delete them one by one. */
const deleting = { success: true, message: 'Responses and conversations are being deleted.' };
const params = z.object({ id: idText });

/** What is stored for a user or an organisation, by category. */
export function storedDataRoutes({ accounts: { db }, mostBytes, deleteResponses }: AccountDataDeps): Route[] {
  const counting = new Map<number, Promise<StoredByCategory>>();
  /** Concurrent callers share one count. */
  const partsOf = (userId: number): Promise<StoredByCategory> => {
    const parts = counting.get(userId) ?? storedByCategory(db, userId).finally(() => counting.delete(userId));
    counting.set(userId, parts);
    return parts;
  };
  const view = async (userId: number) => {
    const parts = await partsOf(userId);
    const listed = partNames.map((name) => ({ name, bytes: parts[name] }));
    return { bytes: sumOf(parts), most_bytes: mostBytes() || null, parts: listed };
  };
  return [
    defineRoute({
      ...management,
      method: 'get',
      path: '/api/user/self/kept',
      summary: 'Get your storage usage, in bytes',
      tag: 'Account',
      auth: 'session',
      answers: { 200: kept },
      handle: async (call) => ok(call, await view(call.principal.user.id)),
    }),
    defineRoute({
      ...management,
      method: 'get',
      path: '/api/admin/users/{id}/kept',
      summary: 'Get a user’s storage usage, in bytes',
      tag: 'Administration',
      auth: 'admin',
      params,
      answers: { 200: kept },
      handle: async (call) => {
        await requireUser(db, call.params.id);
        return ok(call, await view(call.params.id));
      },
    }),
    defineRoute({
      ...management,
      method: 'get',
      path: '/api/organisations/{id}/kept',
      summary: 'Get the storage usage of the keys that an organisation pays for, in bytes',
      tag: 'Organisations',
      auth: 'session',
      params,
      answers: { 200: kept },
      handle: async (call) => {
        const { organisation } = await requireMembership(db, call.params.id, call.principal.user.id, 'see_all');
        return ok(call, await view(organisation.account_id));
      },
    }),
    defineRoute({
      ...management,
      method: 'delete',
      path: '/api/user/self/kept/responses',
      summary: 'Delete all your responses and conversations, whichever key created them',
      tag: 'Account',
      auth: 'session',
      audit: { action: 'responses_deleted', subject: { type: 'user' }, id: (call) => call.principal.user.id },
      answers: { 200: done },
      handle: async (call) => {
        await deleteResponses(call.principal.user.id);
        return json(call, deleting);
      },
    }),
    defineRoute({
      ...management,
      method: 'delete',
      path: '/api/organisations/{id}/kept/responses',
      summary: 'Delete all responses and conversations of keys that an organisation pays for',
      tag: 'Organisations',
      auth: 'session',
      params,
      audit: {
        action: 'organisation_responses_deleted',
        subject: { type: 'organisation' },
        id: (call) => call.params.id,
      },
      answers: { 200: done },
      handle: async (call) => {
        const { organisation } = await requireMembership(db, call.params.id, call.principal.user.id, 'manage_keys');
        await deleteResponses(organisation.account_id);
        return json(call, deleting);
      },
    }),
  ];
}
