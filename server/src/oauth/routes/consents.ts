import { z } from 'zod';
import { originOf } from '../../identity/audit/record-acts.ts';
import { answered, done, listed } from '../../platform/http/answers.ts';
import { idText, pageQuery } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { changeLimit, consentsOf, revokeConsent } from '../consents.ts';
import type { OAuthContext } from '../context.ts';
import { spendingFields } from '../spending.ts';
import { management } from './shapes.ts';

const spendingSchema = z.object({
  spending_limit: spendingFields.spending_limit,
  spending_window: z.string(),
  spent: z.number().int().describe('Amount spent in the current window, in quota units'),
});
export const consentSchema = z
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
    app_host: z
      .string()
      .optional()
      .describe('Host of the document that describes the application, if no user of this service registered it'),
    keys: z.number().int().optional().describe('Number of API keys the application created for you that still exist'),
    // Only with the scope models:use.
    ...spendingSchema.partial().shape,
  })
  .meta({ id: 'OAuthConsent' });

/** The user's view: which applications may act for me. */
export function consentRoutes(room: OAuthContext): Route[] {
  return [
    defineRoute({
      ...management,
      method: 'get',
      path: '/api/oauth2/consents',
      summary: 'List the applications you have authorized',
      query: pageQuery,
      answers: { 200: listed({ consents: z.array(consentSchema) }) },
      handle: async (call) =>
        ok(call, { ...(await consentsOf(room, call.principal.user.id, call.query)), ...call.query }),
    }),
    defineRoute({
      ...management,
      when: () => room.options.get('OAuth2OpenIDConnect'),
      method: 'put',
      path: '/api/oauth2/consents/{application_id}',
      summary: 'Update the spending limit of an application (scope models:use)',
      params: z.object({ application_id: idText }),
      body: z.object(spendingFields),
      answers: { 200: answered(spendingSchema) },
      handle: async (call) => {
        const user = { userId: call.principal.user.id, origin: originOf(call) };
        const { spending_limit: limit, spending_window: window } = call.body;
        return ok(call, await changeLimit(room, user, call.params.application_id, { limit, window }));
      },
    }),
    defineRoute({
      ...management,
      method: 'delete',
      path: '/api/oauth2/consents/{application_id}',
      summary: 'Revoke an application’s access',
      params: z.object({ application_id: idText }),
      query: z.object({
        keys: z
          .enum(['keep', 'delete'])
          .default('keep')
          .describe('What to do with the API keys that the application created for you'),
      }),
      answers: { 200: done },
      handle: async (call) => {
        const user = { userId: call.principal.user.id, origin: originOf(call) };
        await revokeConsent(room, user, call.params.application_id, call.query.keys);
        return json(call, { success: true, message: 'The application’s access was revoked.' });
      },
    }),
  ];
}
