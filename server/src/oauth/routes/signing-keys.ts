import { z } from 'zod';
import { answered } from '../../platform/http/answers.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import type { OAuthContext } from '../context.ts';
import { keysCachedSeconds } from '../openid/signing-keys.ts';
import { anyOrigin, base, management } from './shapes.ts';

const keySchema = z
  .object({
    kid: z.string(),
    alg: z.string(),
    starts_at: z.number().int().meta({ description: 'Time from which the key signs' }),
    retired_at: z.number().int().nullable().meta({ description: 'Time from which the key no longer signs' }),
    created_at: z.number().int(),
  })
  .meta({ id: 'OAuthSigningKey' });

/** Signing keys of ID tokens, for applications and administrators. */
export function signingKeyRoutes({ signingKeys, options }: OAuthContext): Route[] {
  const when = () => options.get('OAuth2OpenIDConnect');
  const listOf = async () =>
    (await signingKeys.all()).map(({ kid, alg, starts_at, retired_at, created_at }) => ({
      ...{ kid, alg, starts_at, retired_at, created_at },
    }));
  const admin = { ...management, when, tag: 'OAuth administration', auth: 'admin' } as const;
  const answers = { 200: answered(z.array(keySchema)) };
  return [
    defineRoute({
      ...base,
      when,
      method: 'get',
      path: '/api/oauth2/jwks',
      summary: 'Get the public keys that verify ID tokens (RFC 7517)',
      auth: 'none',
      limit: null,
      headers: { ...anyOrigin, 'cache-control': `public, max-age=${keysCachedSeconds}` },
      answers: { 200: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }) },
      handle: async (call) => json(call, { keys: await signingKeys.published() }),
    }),
    defineRoute({
      ...admin,
      method: 'get',
      path: '/api/oauth2/admin/signing-keys',
      summary: 'List the keys that sign ID tokens, newest first',
      answers,
      handle: async (call) => ok(call, await listOf()),
    }),
    defineRoute({
      ...admin,
      method: 'post',
      path: '/api/oauth2/admin/signing-keys/rotate',
      summary:
        'Rotate the signing keys: once applications can know the new ones, or immediately if the old ones leaked',
      idempotent: true,
      body: z.strictObject({
        at_once: z.boolean().default(false).describe('Discard the old keys; everything they signed becomes invalid'),
      }),
      audit: {
        action: 'signing_keys_rotated',
        subject: { type: 'signing_keys' },
        id: () => undefined,
        also: (call) => ({ at_once: call.body.at_once }),
      },
      answers,
      handle: async (call) => {
        await signingKeys.rotate(call.body.at_once);
        return ok(call, await listOf());
      },
    }),
  ];
}
