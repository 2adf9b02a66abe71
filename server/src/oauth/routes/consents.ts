import { z } from 'zod';
import { originOf } from '../../identity/audit/record-acts.ts';
import { done, listed } from '../../platform/http/answers.ts';
import { idText, pageQuery } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { consentsOf, revokeConsent } from '../consents.ts';
import type { Room } from '../room.ts';
import { management } from './shapes.ts';

const consentSchema = z
  .object({
    id: z.number().int(),
    user_id: z.number().int(),
    application_id: z.number().int(),
    scopes: z.string(),
    created_at: z.number().int(),
    updated_at: z.number().int(),
    app_name: z.string(),
    app_description: z.string(),
    app_logo_url: z.string(),
    app_homepage_url: z.string(),
    app_is_verified: z.boolean(),
    app_host: z.string().optional().describe('Of the document that describes it, where nobody here registered it'),
  })
  .meta({ id: 'OAuthConsent' });

/** The user's side: which applications may act for me. */
export function consentRoutes(room: Room): Route[] {
  return [
    defineRoute({
      ...management,
      method: 'get',
      path: '/api/oauth2/consents',
      summary: 'Applications I have authorized',
      query: pageQuery,
      answers: { 200: listed({ consents: z.array(consentSchema) }) },
      handle: async (call) =>
        ok(call, { ...(await consentsOf(room, call.principal.user.id, call.query)), ...call.query }),
    }),
    defineRoute({
      ...management,
      method: 'delete',
      path: '/api/oauth2/consents/{application_id}',
      summary: 'Take an application’s access away',
      params: z.object({ application_id: idText }),
      answers: { 200: done },
      handle: async (call) => {
        const user = { userId: call.principal.user.id, origin: originOf(call) };
        await revokeConsent(room, user, call.params.application_id);
        return json(call, { success: true, message: 'The application has no access any more.' });
      },
    }),
  ];
}
