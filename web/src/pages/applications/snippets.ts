import { redirectUrisOf } from '../../components/app-identity.tsx';
import type { Snippet } from '../../components/code-block.tsx';
import type { Application } from './application-fields.ts';
import type { Discovery } from './application-queries.ts';

/** Signing a user in, with openid-client and step by step. */
export function quickStart(application: Application, { issuer, token_endpoint }: Discovery): Snippet[] {
  const confidential = application.app_type === 'confidential';
  const redirectUri = redirectUrisOf(application)[0] ?? '';
  const plainHttp = issuer.startsWith('http:');
  const secret = confidential ? 'process.env.CLIENT_SECRET, // shown once, when it was made' : 'undefined,';
  const how = plainHttp
    ? `  ${confidential ? 'undefined' : 'client.None()'},\n  { execute: [client.allowInsecureRequests] }, // only while the service runs on http\n`
    : confidential
      ? ''
      : '  client.None(), // no secret: PKCE proves who asks\n';
  return [
    {
      label: 'openid-client',
      code: `import * as client from 'openid-client';

const config = await client.discovery(
  new URL('${issuer}'),
  '${application.client_id}',
  ${secret}
${how});

// 1. Send the user to the consent screen. Keep \`verifier\` and \`state\` in their session.
const verifier = client.randomPKCECodeVerifier();
const state = client.randomState();
const address = client.buildAuthorizationUrl(config, {
  redirect_uri: '${redirectUri}',
  scope: '${application.allowed_scopes}',
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
  state,
});

// 2. Where they come back: trade the code for tokens, then ask who it is.
const tokens = await client.authorizationCodeGrant(config, currentUrl, {
  pkceCodeVerifier: verifier,
  expectedState: state,
});
const user = await client.fetchUserInfo(config, tokens.access_token, client.skipSubjectCheck);`,
    },
    {
      label: 'curl',
      code: `# Trade the code for tokens
curl ${token_endpoint} \\${confidential ? `\n  -u "${application.client_id}:$CLIENT_SECRET" \\` : ''}
  -d grant_type=authorization_code \\
  -d client_id=${application.client_id} \\
  -d redirect_uri=${encodeURIComponent(redirectUri)} \\
  -d code="$CODE" \\
  -d code_verifier="$VERIFIER"

# Who is it?
curl ${issuer}/api/oauth2/userinfo -H "Authorization: Bearer $ACCESS_TOKEN"`,
    },
  ];
}
