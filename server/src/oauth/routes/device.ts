import { z } from 'zod';
import { originOf } from '../../identity/audit/record-acts.ts';
import { answered } from '../../platform/http/answers.ts';
import { type Call, defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { clientFields, requiredClient } from '../assertion/presented-client.ts';
import type { OAuthContext } from '../context.ts';
import { decideDevice, describeDevice } from '../device/decide.ts';
import { startDevice } from '../device/start.ts';
import { answeredFields, answeredSpending, askedFields, whoOf } from './authorize.ts';
import { anyOrigin, base, noStore } from './shapes.ts';

/** Longer than any way to write eight letters. */
const userCode = z.string().min(1, 'must not be empty').max(64, 'must have at most 64 characters');
const typedAt = (call: Call<'session'>) => ({ sessionId: call.principal.sessionId, ip: call.ip });

/** RFC 8628: signing in on a device without a browser, by a code typed on another. */
export function deviceRoutes(room: OAuthContext): Route[] {
  const when = () => room.options.get('OAuth2OpenIDConnect');
  return [
    defineRoute({
      ...base,
      when,
      method: 'post',
      path: '/api/oauth2/device_authorization',
      summary: 'Request a device code and a user code to be entered on another device',
      auth: 'none',
      limit: { option: 'RateLimitOAuthDevice', by: 'ip' },
      headers: { ...noStore, ...anyOrigin },
      bodyAs: 'form',
      body: z.object({ scope: z.string().optional(), ...clientFields }),
      maxBytes: 65_536,
      answers: {
        200: z.object({
          device_code: z.string(),
          user_code: z.string(),
          verification_uri: z.string(),
          verification_uri_complete: z.string(),
          expires_in: z.number().int(),
          interval: z.number().int(),
        }),
      },
      handle: async (call) => {
        const credentials = await requiredClient(room, call, call.body);
        return json(call, await startDevice(room, credentials, call.body.scope, call.ip));
      },
    }),
    defineRoute({
      ...base,
      when,
      method: 'get',
      path: '/api/oauth2/device',
      summary: 'Get the details of the device request with this user code, for the page where it is entered',
      auth: 'session',
      limit: { option: 'RateLimitOAuthAuthorize', by: 'principal' },
      headers: noStore,
      query: z.strictObject({ user_code: userCode }),
      answers: {
        200: answered(z.object({ user_code: z.string(), expires_at: z.number().int(), ...askedFields })),
      },
      handle: async (call) =>
        ok(call, await describeDevice(room, call.principal.user.id, typedAt(call), call.query.user_code)),
    }),
    defineRoute({
      ...base,
      when,
      method: 'post',
      path: '/api/oauth2/device',
      summary: 'Approve or deny the device with this user code',
      auth: 'session',
      limit: { option: 'RateLimitOAuthAuthorizePost', by: 'principal' },
      headers: noStore,
      body: z.strictObject({ user_code: userCode, approved: z.boolean(), ...answeredFields }),
      answers: { 200: answered(z.object({ approved: z.boolean() })) },
      handle: async (call) => {
        const { approved, user_code } = call.body;
        const decision = { ...whoOf(call), approved, origin: originOf(call), spending: answeredSpending(call.body) };
        await decideDevice(room, decision, typedAt(call), user_code);
        return ok(call, { approved });
      },
    }),
  ];
}
