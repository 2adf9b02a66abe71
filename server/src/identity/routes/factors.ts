import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { answered, done, management } from '../../platform/http/answers.ts';
import { type Call, defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import type { FactorDeps } from '../factors/deps.ts';
import { confirmAdding, confirmSecret, dropTotp, newRecoveryCodes, offerSecret } from '../factors/enrol-totp.ts';
import { isFactorRequired } from '../factors/required.ts';
import { methods, methodsOf } from '../factors/second-factor.ts';
import type { LinkDeps } from '../links/deps.ts';
import { notifyOwner } from '../notices.ts';
import { factorsOf } from '../store/factors.ts';

const base = { ...management, tag: 'Account', auth: 'session' } as const;
const subject = { type: 'user' };
const idOfCaller = (call: Call<'session'>) => call.principal.user.id;

export const passkeySchema = z.object({
  id: z.number().int(),
  name: z.string(),
  created_at: z.number().int(),
  last_used_at: z.number().int().nullable(),
});

export const codeRule = z.string().min(1).max(100);
const codesAnswer = answered(z.object({ recovery_codes: z.array(z.string()) }));

export function factorRoutes(deps: FactorDeps & LinkDeps): Route[] {
  return [
    defineRoute({
      ...base,
      method: 'get',
      path: '/api/user/security',
      summary: 'List your second factors',
      answers: {
        200: answered(
          z.object({
            totp_since: z.number().int().nullable(),
            recovery_codes_left: z.number().int(),
            passkeys: z.array(passkeySchema),
            methods: z.array(z.enum(methods)),
            required: z.boolean().describe('Whether administrators must have a second factor to do anything'),
          }),
        ),
      },
      handle: async (call) => {
        const id = idOfCaller(call);
        const required = isFactorRequired(deps, call.principal.user);
        return ok(call, { ...(await factorsOf(deps.db, id)), methods: await methodsOf(deps.db, id), required });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/totp',
      summary: 'Create a secret for an authenticator app; takes effect once a code is confirmed',
      body: z.object({ password: z.string().max(1000).optional() }),
      answers: { 200: answered(z.object({ secret: z.string(), uri: z.string() })) },
      handle: async (call) => {
        await confirmAdding(deps, call.principal, { password: call.body.password, ip: call.ip });
        call.headers['cache-control'] = 'no-store';
        return ok(call, await offerSecret(deps, call.principal));
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/totp/confirm',
      summary: 'Turn on the authenticator app; returns the recovery codes, which are shown only once',
      body: z.object({ code: codeRule }),
      audit: { action: 'totp_enabled', subject, id: idOfCaller },
      answers: { 200: codesAnswer },
      handle: async (call) => {
        call.headers['cache-control'] = 'no-store';
        const recovery_codes = await confirmSecret(deps, call.principal, call.body.code);
        notifyOwner(deps, idOfCaller(call), 'factor_added');
        return ok(call, { recovery_codes });
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: '/api/user/totp',
      summary: 'Turn off the authenticator app',
      audit: { action: 'totp_disabled', subject, id: idOfCaller },
      answers: { 200: done },
      handle: async (call) => {
        await dropTotp(deps, idOfCaller(call));
        notifyOwner(deps, idOfCaller(call), 'factor_removed');
        return json(call, { success: true, message: 'The authenticator app was turned off.' });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/recovery-codes',
      summary: 'Create new recovery codes, shown only once; the old ones stop working',
      audit: { action: 'recovery_codes_renewed', subject, id: idOfCaller },
      answers: { 200: codesAnswer },
      handle: async (call) => {
        const id = idOfCaller(call);
        if ((await methodsOf(deps.db, id)).length === 0)
          throw new AppError('conflict', 'Recovery codes require a second factor.');
        call.headers['cache-control'] = 'no-store';
        const recovery_codes = await newRecoveryCodes(deps, id);
        notifyOwner(deps, id, 'recovery_codes');
        return ok(call, { recovery_codes });
      },
    }),
  ];
}
