import { z } from 'zod';
import { originOf } from '../../identity/audit/record-acts.ts';
import { answered } from '../../platform/http/answers.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { decide, describeRequest } from '../authorize.ts';
import type { Room } from '../room.ts';
import { base, noStore } from './shapes.ts';

/** Which of these is required, and in what order it is missed, is told by the table of checks. */
const requestFields = {
  scope: z.string().optional(),
  // Echoed byte for byte, which half a surrogate pair cannot be.
  state: z
    .string()
    .max(8000, 'must have at most 8000 characters')
    .refine((text) => text.isWellFormed(), 'must be valid Unicode')
    .optional(),
  code_challenge: z.string().optional(),
  code_challenge_method: z.string().optional(),
};

const describedSchema = z.object({
  application: z.object({
    id: z.number().int(),
    name: z.string(),
    description: z.string(),
    homepage_url: z.string(),
    logo_url: z.string(),
    client_id: z.string(),
    is_verified: z.boolean(),
  }),
  requested_scopes: z.array(z.object({ name: z.string(), description: z.string() })),
  has_existing_consent: z.boolean(),
  existing_scopes: z.string().nullable(),
  needs_reconsent: z.boolean(),
  redirect_uri: z.string(),
  state: z.string(),
});

export function authorizeRoutes(room: Room): Route[] {
  return [
    defineRoute({
      ...base,
      method: 'get',
      path: '/api/oauth2/authorize',
      summary: 'What an application asks for, for the consent screen',
      auth: 'session',
      limit: { option: 'RateLimitOAuthAuthorize', by: 'principal' },
      headers: noStore,
      query: z.object({
        ...requestFields,
        response_type: z.string().optional(),
        client_id: z.string().optional(),
        redirect_uri: z.string().optional(),
      }),
      answers: { 200: answered(describedSchema) },
      handle: async (call) => ok(call, await describeRequest(room, call.principal.user.id, call.query)),
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/oauth2/authorize',
      summary: 'Approve or deny',
      auth: 'session',
      limit: { option: 'RateLimitOAuthAuthorizePost', by: 'principal' },
      headers: noStore,
      body: z.object({
        ...requestFields,
        client_id: z.string(),
        redirect_uri: z.string(),
        approved: z.boolean(),
      }),
      answers: { 200: answered(z.object({ redirect_url: z.string() })) },
      handle: async (call) => {
        const { approved, ...request } = call.body;
        const { user, sessionId } = call.principal;
        const decision = { userId: user.id, sessionId, approved, origin: originOf(call) };
        // The page has shown a request for a code; the answer does not repeat that.
        const redirect_url = await decide(room, decision, { ...request, response_type: 'code' });
        return ok(call, { redirect_url });
      },
    }),
  ];
}
