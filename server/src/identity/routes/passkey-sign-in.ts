import { z } from 'zod';
import { answered, management } from '../../platform/http/answers.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import type { FactorDeps } from '../factors/deps.ts';
import { authenticationOptions } from '../factors/passkeys.ts';
import { signInWithPasskey } from '../factors/sign-in.ts';
import { refuseForgery } from '../sessions.ts';
import { ownUserSchema } from '../user.ts';
import { auditSignIn, tellFailure } from './audit-sign-in.ts';
import { assertionBody, assertionOf, optionsAnswer } from './passkey-bodies.ts';
import { answerWithSession } from './start-session.ts';

const base = { ...management, tag: 'Account', auth: 'none' } as const;

/** A passkey is both factors: the device, and its biometrics or PIN. No username is typed. */
export function passkeySignInRoutes(deps: FactorDeps, origins: string[]): Route[] {
  return [
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/login/passkey/options',
      summary: 'Start a passkey login; returns the options for the browser',
      answers: { 200: answered(optionsAnswer) },
      handle: async (call) => {
        refuseForgery(call.request, origins);
        return ok(call, await authenticationOptions(deps, 'passkey_sign_in', null));
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/login/passkey',
      summary: 'Log in with a passkey',
      body: z.object({ response: assertionBody }),
      answers: { 200: answered(ownUserSchema) },
      handle: async (call) => {
        refuseForgery(call.request, origins);
        const proven = await signInWithPasskey(deps, assertionOf(call.body.response)).catch((error) => {
          tellFailure(deps.audit, call, null, error, 'passkey');
          throw error;
        });
        const response = await answerWithSession(deps, call, proven);
        auditSignIn(deps.audit, call, 'login_succeeded', proven.user.id, { second_factor: 'passkey' });
        return response;
      },
    }),
  ];
}
