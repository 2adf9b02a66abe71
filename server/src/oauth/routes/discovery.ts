import { z } from 'zod';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import { allScopes } from '../scopes.ts';
import { anyOrigin, base } from './shapes.ts';

/** OpenID Connect Discovery 1.0 §3, as far as it is about OAuth. */
export const openidConfiguration = (baseUrl: string, webUrl: string) => ({
  issuer: baseUrl,
  authorization_endpoint: `${webUrl}/oauth2/authorize`,
  token_endpoint: `${baseUrl}/api/oauth2/token`,
  userinfo_endpoint: `${baseUrl}/api/oauth2/userinfo`,
  revocation_endpoint: `${baseUrl}/api/oauth2/revoke`,
  introspection_endpoint: `${baseUrl}/api/oauth2/introspect`,
  scopes_supported: allScopes,
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  code_challenge_methods_supported: ['S256', 'plain'],
  subject_types_supported: ['public'],
});

/** RFC 8414 §2, RFC 9207 §3: what the OpenID document leaves out. */
export const serverMetadata = (baseUrl: string, webUrl: string) => {
  const document = openidConfiguration(baseUrl, webUrl);
  return {
    ...document,
    token_endpoint_auth_methods_supported: [...document.token_endpoint_auth_methods_supported, 'none'],
    authorization_response_iss_parameter_supported: true,
  };
};

const documentSchema = z.record(z.string(), z.unknown());

export function discoveryRoutes({ baseUrl, webUrl }: { baseUrl: string; webUrl: string }): Route[] {
  const documents: [path: string, summary: string, document: unknown][] = [
    [
      '/api/oauth2/.well-known/openid-configuration',
      'What this authorization server offers',
      openidConfiguration(baseUrl, webUrl),
    ],
    ['/.well-known/openid-configuration', 'The same at its usual place', openidConfiguration(baseUrl, webUrl)],
    ['/.well-known/oauth-authorization-server', 'The same as RFC 8414 has it', serverMetadata(baseUrl, webUrl)],
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
      handle: (call) => json(call, document),
    }),
  );
}
