import { z } from 'zod';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import type { OAuthContext } from '../context.ts';
import { deviceGrant } from '../device/codes.ts';
import { proofAlgorithms } from '../dpop/key.ts';
import { tokenExchangeGrant } from '../grants/actor.ts';
import { prompts } from '../openid/request.ts';
import { sessionContext } from '../openid/sign-in.ts';
import { signingAlgorithms } from '../openid/signing-algorithms.ts';
import { responseModes } from '../response-mode.ts';
import { allScopes, grantableScopes, joinScopes } from '../scopes.ts';
import { readsDocuments } from '../status.ts';
import { anyOrigin, base } from './shapes.ts';

/** OpenID Connect Discovery 1.0 §3, the part about OAuth. */
const openidConfiguration = (baseUrl: string, webUrl: string) => ({
  issuer: baseUrl,
  authorization_endpoint: `${webUrl}/oauth2/authorize`,
  token_endpoint: `${baseUrl}/api/oauth2/token`,
  userinfo_endpoint: `${baseUrl}/api/oauth2/userinfo`,
  revocation_endpoint: `${baseUrl}/api/oauth2/revoke`,
  introspection_endpoint: `${baseUrl}/api/oauth2/introspect`,
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  code_challenge_methods_supported: ['S256', 'plain'],
  subject_types_supported: ['public'],
});

/** RFC 8414 §2, RFC 9207 §3: additions to the OpenID document. */
const serverMetadata = (baseUrl: string, webUrl: string) => {
  const document = openidConfiguration(baseUrl, webUrl);
  return {
    ...document,
    token_endpoint_auth_methods_supported: [...document.token_endpoint_auth_methods_supported, 'none'],
    authorization_response_iss_parameter_supported: true,
  };
};

/** Claims of ID tokens and userinfo, including our own. */
const claims = `iss sub aud exp iat auth_time nonce at_hash acr sid name preferred_username picture email email_verified
  username display_name avatar_url role group created_at quota used_quota request_count`.split(/\s+/);

/** RFC 8414 §2: client authentication methods and algorithms of an endpoint. */
const authenticationOf = (endpoint: string, methods: string[]) => ({
  [`${endpoint}_endpoint_auth_methods_supported`]: methods,
  [`${endpoint}_endpoint_auth_signing_alg_values_supported`]: proofAlgorithms,
});

/** The same with OpenID Connect, including explicit `false` where the default would be true. */
const openidMetadata = (baseUrl: string, webUrl: string) => ({
  ...serverMetadata(baseUrl, webUrl),
  jwks_uri: `${baseUrl}/api/oauth2/jwks`,
  // Browsers bring the session to it, which is the web app's.
  end_session_endpoint: `${webUrl}/api/oauth2/end_session`,
  pushed_authorization_request_endpoint: `${baseUrl}/api/oauth2/par`,
  device_authorization_endpoint: `${baseUrl}/api/oauth2/device_authorization`,
  grant_types_supported: ['authorization_code', 'refresh_token', deviceGrant, tokenExchangeGrant],
  dpop_signing_alg_values_supported: proofAlgorithms,
  ...authenticationOf('token', ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']),
  ...authenticationOf('revocation', ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']),
  ...authenticationOf('introspection', ['client_secret_basic', 'private_key_jwt']),
  id_token_signing_alg_values_supported: signingAlgorithms,
  claims_supported: claims,
  claim_types_supported: ['normal'],
  acr_values_supported: [sessionContext],
  prompt_values_supported: prompts,
  response_modes_supported: responseModes,
  claims_parameter_supported: false,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
});

const documentSchema = z.record(z.string(), z.unknown());

export function discoveryRoutes({
  baseUrl,
  webUrl,
  options,
}: Pick<OAuthContext, 'baseUrl' | 'webUrl' | 'options'>): Route[] {
  const openid = openidMetadata(baseUrl, webUrl);
  /** With how unregistered clients get access. */
  const openidNow = () => ({
    ...openid,
    client_id_metadata_document_supported: readsDocuments(options),
    ...(options.get('OAuth2DynamicRegistration') && { registration_endpoint: `${baseUrl}/api/oauth2/register` }),
  });
  const documents: [path: string, summary: string, document: object][] = [
    [
      '/api/oauth2/.well-known/openid-configuration',
      'Get the metadata of the authorization server',
      openidConfiguration(baseUrl, webUrl),
    ],
    [
      '/.well-known/openid-configuration',
      'Get the authorization server metadata at its standard address',
      openidConfiguration(baseUrl, webUrl),
    ],
    [
      '/.well-known/oauth-authorization-server',
      'Get the authorization server metadata in the RFC 8414 format',
      serverMetadata(baseUrl, webUrl),
    ],
  ];
  return documents.map(([path, summary, document]) =>
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary,
      auth: 'none',
      limit: null,
      headers: { ...anyOrigin, 'cache-control': 'public, max-age=300' },
      answers: { 200: documentSchema },
      // RFC 8414 §2: clients request what they find here.
      handle: (call) =>
        json(call, {
          ...(options.get('OAuth2OpenIDConnect') ? openidNow() : document),
          scopes_supported: grantableScopes(joinScopes(allScopes), options),
        }),
    }),
  );
}
