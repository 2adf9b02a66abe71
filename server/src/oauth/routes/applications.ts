import { z } from 'zod';
import { originOf } from '../../identity/audit/record-acts.ts';
import { AppError } from '../../lib/errors.ts';
import { openOrNull } from '../../lib/seal.ts';
import { answered, done, listed } from '../../platform/http/answers.ts';
import { idText, pageQuery } from '../../platform/http/paging.ts';
import { type Call, defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { applicationChangeSchema, applicationSchema, newApplicationSchema, viewIn } from '../application.ts';
import {
  createApplication,
  deleteApplication,
  giveToTeam,
  ownApplication,
  ownApplications,
  rotateSecret,
  rotateWebhookSecret,
  updateApplication,
} from '../applications.ts';
import type { OAuthContext } from '../context.ts';
import { requireEnabled } from '../status.ts';
import { management, noStore } from './shapes.ts';

const params = z.object({ app_id: idText });
const path = '/api/oauth2/applications/{app_id}';
const ownerOf = (call: Call<'session'>) => ({ userId: call.principal.user.id, origin: originOf(call) });
const secret = answered(z.object({ client_secret_plain: z.string() }));
const webhookSecret = answered(z.object({ webhook_secret: z.string() }));

/** Applications, for their owners. */
export function applicationRoutes(room: OAuthContext): Route[] {
  return [...collectionRoutes(room), ...memberRoutes(room), ...secretRoutes(room)];
}

const collectionRoutes = (room: OAuthContext): Route[] => [
  defineRoute({
    ...management,
    method: 'get',
    path: '/api/oauth2/applications',
    summary: 'List your applications',
    query: pageQuery,
    answers: { 200: listed({ applications: z.array(applicationSchema) }) },
    handle: async (call) => {
      const { rows, total } = await ownApplications(room, call.principal.user.id, call.query);
      return ok(call, { applications: rows.map(viewIn(room)), total, ...call.query });
    },
  }),
  defineRoute({
    ...management,
    method: 'post',
    path: '/api/oauth2/applications',
    summary: 'Register an application; the client secret is shown only once',
    idempotent: true,
    headers: noStore,
    body: newApplicationSchema,
    answers: { 200: answered(applicationSchema.extend({ client_secret_plain: z.string() })) },
    handle: async (call) => {
      requireEnabled(room.options);
      const { row, secret: client_secret_plain } = await createApplication(room, ownerOf(call), call.body);
      return ok(call, { ...viewIn(room)(row), client_secret_plain });
    },
  }),
];

const memberRoutes = (room: OAuthContext): Route[] => [
  defineRoute({
    ...management,
    method: 'get',
    path,
    summary: 'Get one of your applications',
    params,
    answers: { 200: answered(applicationSchema) },
    handle: async (call) =>
      ok(call, viewIn(room)(await ownApplication(room, call.principal.user.id, call.params.app_id))),
  }),
  defineRoute({
    ...management,
    method: 'put',
    path,
    summary: 'Update an application',
    params,
    body: applicationChangeSchema,
    answers: { 200: answered(applicationSchema) },
    handle: async (call) =>
      ok(call, viewIn(room)(await updateApplication(room, ownerOf(call), call.params.app_id, call.body))),
  }),
  defineRoute({
    ...management,
    method: 'put',
    path: `${path}/owner`,
    summary: 'Transfer an application to a team of an organisation that you manage',
    params,
    body: z.strictObject({ type: z.literal('team'), id: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER) }),
    answers: { 200: answered(applicationSchema) },
    handle: async (call) =>
      ok(call, viewIn(room)(await giveToTeam(room, ownerOf(call), call.params.app_id, call.body.id))),
  }),
  defineRoute({
    ...management,
    method: 'delete',
    path,
    summary: 'Delete an application with its tokens and consents',
    params,
    answers: { 200: done },
    handle: async (call) => {
      await deleteApplication(room, ownerOf(call), call.params.app_id);
      return json(call, { success: true, message: 'The application was deleted.' });
    },
  }),
];

const secretRoutes = (room: OAuthContext): Route[] => [
  defineRoute({
    ...management,
    method: 'post',
    path: `${path}/rotate-secret`,
    summary: 'Rotate the client secret; the old secret stops working immediately',
    idempotent: true,
    headers: noStore,
    params,
    answers: { 200: secret },
    handle: async (call) =>
      ok(call, { client_secret_plain: await rotateSecret(room, ownerOf(call), call.params.app_id) }),
  }),
  defineRoute({
    ...management,
    method: 'get',
    path: `${path}/webhook-secret`,
    summary: 'Get the webhook signing secret',
    headers: noStore,
    params,
    answers: { 200: webhookSecret },
    handle: async (call) => {
      const row = await ownApplication(room, call.principal.user.id, call.params.app_id);
      const webhook_secret = openOrNull(room.sealer, row.webhook_secret);
      if (webhook_secret === null) throw new AppError('conflict', 'The secret can no longer be read. Rotate it.');
      return ok(call, { webhook_secret });
    },
  }),
  defineRoute({
    ...management,
    method: 'post',
    path: `${path}/webhook-secret`,
    summary: 'Rotate the webhook signing secret',
    idempotent: true,
    headers: noStore,
    params,
    answers: { 200: webhookSecret },
    handle: async (call) =>
      ok(call, { webhook_secret: await rotateWebhookSecret(room, ownerOf(call), call.params.app_id) }),
  }),
];
