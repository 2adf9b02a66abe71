import { z } from 'zod';
import type { Origin } from '../../identity/audit/log.ts';
import { originOf } from '../../identity/audit/record-acts.ts';
import { AppError } from '../../lib/errors.ts';
import { table } from '../../lib/table.ts';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import { clientFields, requiredClient } from '../assertion/presented-client.ts';
import type { AuditEvent } from '../audit.ts';
import type { ClientCredentials } from '../client-auth.ts';
import type { OAuthContext } from '../context.ts';
import { deviceGrant } from '../device/codes.ts';
import { proofOf } from '../dpop/proof.ts';
import { tokenExchangeGrant } from '../grants/actor.ts';
import { exchangeCode } from '../grants/authorization-code.ts';
import { exchangeDeviceCode } from '../grants/device-code.ts';
import type { GrantDeps, Issued } from '../grants/grant.ts';
import { refresh } from '../grants/refresh-token.ts';
import { exchangeToken } from '../grants/token-exchange.ts';
import { requestedResources } from '../resource-indicators.ts';
import { requireEnabled } from '../status.ts';
import { anyOrigin, base, noStore, repeatableIn, resourceParameter } from './shapes.ts';

const bodySchema = z.object({
  grant_type: z.string().optional(),
  code: z.string().optional(),
  redirect_uri: z.string().optional(),
  code_verifier: z.string().optional(),
  refresh_token: z.string().optional(),
  device_code: z.string().optional(),
  scope: z.string().optional(),
  ...clientFields,
  // RFC 8693 §2.1.
  subject_token: z.string().optional(),
  subject_token_type: z.string().optional(),
  actor_token: z.string().optional(),
  actor_token_type: z.string().optional(),
  requested_token_type: z.string().optional(),
  audience: z.string().optional(),
  resource: resourceParameter,
});
type Body = z.infer<typeof bodySchema>;

const answerSchema = z.object({
  access_token: z.string(),
  token_type: z.enum(['Bearer', 'DPoP']),
  expires_in: z.number().int(),
  refresh_token: z.string().optional().meta({ description: 'Absent for an exchanged token' }),
  scope: z.string(),
  issued_token_type: z.string().optional().meta({ description: 'Type of an exchanged token (RFC 8693)' }),
  id_token: z.string().optional().meta({ description: 'With OpenID Connect, if the scope `openid` was requested' }),
});

/** The client, its proven key, and where the request comes from. */
interface Asking {
  credentials: ClientCredentials;
  proofKey: string | null;
  origin: Origin;
}

interface Grant {
  event: AuditEvent;
  /** Unsupported while OpenID Connect is disabled. */
  openid?: true;
  run(deps: GrantDeps, asking: Asking, body: Body): Promise<Issued>;
}

/** RFC 6749 §4.1.3, §6, RFC 8628 §3.4, RFC 8693 §2.1. A new grant is a file in grants/ and a line here. */
const grants = table<Grant>({
  authorization_code: {
    event: 'token_issued',
    run: (deps, asking, body) =>
      exchangeCode(deps, {
        ...asking,
        code: required(body, 'code'),
        redirectUri: required(body, 'redirect_uri'),
        verifier: body.code_verifier || undefined,
        resources: requestedResources(deps, body.resource),
      }),
  },
  refresh_token: {
    event: 'token_refreshed',
    run: (deps, asking, body) =>
      refresh(deps, {
        ...asking,
        refreshToken: required(body, 'refresh_token'),
        scope: body.scope,
        resources: requestedResources(deps, body.resource),
      }),
  },
  [deviceGrant]: {
    event: 'token_issued',
    openid: true,
    run: (deps, asking, body) =>
      exchangeDeviceCode(deps, {
        ...asking,
        deviceCode: required(body, 'device_code'),
        resources: requestedResources(deps, body.resource),
      }),
  },
  [tokenExchangeGrant]: {
    event: 'token_exchanged',
    openid: true,
    run: (deps, asking, body) =>
      exchangeToken(deps, {
        ...asking,
        subjectToken: required(body, 'subject_token'),
        subjectTokenType: required(body, 'subject_token_type'),
        actorToken: body.actor_token || undefined,
        actorTokenType: body.actor_token_type || undefined,
        requestedTokenType: body.requested_token_type || undefined,
        scope: body.scope,
        audience: body.audience || undefined,
        resources: requestedResources(deps, body.resource),
      }),
  },
});

/** RFC 6749 §3.2: an empty parameter counts as absent. */
function required(body: Body, name: Exclude<keyof Body, 'resource'>): string {
  const value = body[name];
  if (!value) throw new AppError('invalid_request', `${name} is required.`, { param: name });
  return value;
}

function grantCalled({ options }: Pick<OAuthContext, 'options'>, name: string): Grant {
  const openid = options.get('OAuth2OpenIDConnect');
  const grant = grants[name];
  if (grant && (openid || !grant.openid)) return grant;
  const all = openid
    ? `authorization_code, refresh_token, ${deviceGrant} or ${tokenExchangeGrant}`
    : 'authorization_code or refresh_token';
  throw new AppError('unsupported_grant_type', `grant_type must be ${all}.`);
}

export function tokenRoute(room: OAuthContext): Route {
  return defineRoute({
    ...base,
    method: 'post',
    path: '/api/oauth2/token',
    summary: 'Exchange an authorization code, device code or token for tokens, or refresh a token',
    auth: 'none',
    limit: { option: 'RateLimitOAuthToken', by: 'ip' },
    headers: { ...noStore, ...anyOrigin },
    bodyAs: 'form',
    body: bodySchema,
    repeatable: repeatableIn(room),
    maxBytes: 65_536,
    answers: { 200: answerSchema },
    handle: async (call) => {
      requireEnabled(room.options);
      const name = required(call.body, 'grant_type');
      const grant = grantCalled(room, name);
      const credentials = await requiredClient(room, call, call.body);
      const proofKey = await proofOf(room, call.request);
      const origin = originOf(call);
      const issued = await grant.run(room, { credentials, proofKey, origin }, call.body);
      room.audit.record(grant.event, origin, {
        application_id: issued.applicationId,
        user_id: issued.userId,
        metadata: {
          ...{ grant_type: name, scopes: issued.scope },
          ...(issued.resource && { resource: issued.resource }),
          ...issued.told,
        },
      });
      return json(call, {
        access_token: issued.accessToken,
        token_type: issued.jkt === null ? 'Bearer' : 'DPoP',
        expires_in: issued.expiresIn,
        ...(issued.refreshToken && { refresh_token: issued.refreshToken }),
        scope: issued.scope,
        ...(issued.issuedTokenType && { issued_token_type: issued.issuedTokenType }),
        ...(issued.idToken && { id_token: issued.idToken }),
      });
    },
  });
}
