import { z } from 'zod';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { answered, done, management } from '../../platform/http/answers.ts';
import { type Call, defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { originOf } from '../audit/record-acts.ts';
import type { FactorDeps } from '../factors/deps.ts';
import { authenticationOptions, provePasskey } from '../factors/passkeys.ts';
import { type Method, takeCode } from '../factors/second-factor.ts';
import { noteFactor } from '../store/sessions.ts';
import { codeRule } from './factors.ts';
import { assertionBody, assertionOf, optionsAnswer } from './passkey-bodies.ts';

const base = { ...management, tag: 'Account', auth: 'session' } as const;

/** Proves the second factor again, for acts that need it. */
export function stepUpRoutes(deps: FactorDeps): Route[] {
  const tell = (call: Call<'session'>, action: string, metadata: Record<string, unknown>) => {
    const { id } = call.principal.user;
    deps.audit.record({ action, actor: id, target: { type: 'user', id }, metadata, origin: originOf(call) });
  };
  const prove = async (call: Call<'session'>, proof: Promise<Method>): Promise<Response> => {
    const method = await proof.catch((error) => {
      tell(call, 'step_up_failed', { reason: error instanceof AppError ? error.code : 'internal_error' });
      // Not 401, which would mean that the session has ended.
      if (error instanceof AppError && error.code === 'wrong_credentials')
        throw new AppError('invalid_value', error.message, { param: 'code' }, error.detail);
      throw error;
    });
    await noteFactor(deps.db, call.principal.sessionId, nowSeconds(deps.clock));
    tell(call, 'step_up_succeeded', { second_factor: method });
    return json(call, { success: true, message: 'Confirmed for ten minutes.' });
  };
  return [
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/step-up',
      summary: 'Confirm your second factor again with a code',
      body: z.object({ code: codeRule }),
      audit: 'recorded',
      answers: { 200: done },
      handle: (call) => prove(call, takeCode(deps, call.principal.user.id, call.body.code)),
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/step-up/passkey/options',
      summary: 'Start confirming your second factor with a passkey; returns the options for the browser',
      audit: 'recorded',
      answers: { 200: answered(optionsAnswer) },
      handle: async (call) => ok(call, await authenticationOptions(deps, 'passkey_step_up', call.principal.user.id)),
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/step-up/passkey',
      summary: 'Confirm your second factor again with a passkey',
      body: z.object({ response: assertionBody }),
      audit: 'recorded',
      answers: { 200: done },
      handle: (call) => {
        const own = async (): Promise<Method> => {
          const { passkey, given } = await provePasskey(deps, 'passkey_step_up', assertionOf(call.body.response));
          if (passkey.user_id !== call.principal.user.id || given.user_id !== passkey.user_id)
            throw new AppError('wrong_credentials', 'This passkey belongs to another account.');
          return 'passkey';
        };
        return prove(call, own());
      },
    }),
  ];
}
