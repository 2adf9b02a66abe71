import { redirectUrisOf } from '../../components/app-identity.tsx';
import type { Snippet } from '../../components/code-block.tsx';
import type { Application } from './application-fields.ts';
import type { Discovery } from './application-queries.ts';

/** Client authentication in the example code, by method. */
const proofs = {
  none: { secret: 'undefined,', how: 'client.None()', why: 'no secret: PKCE proves who asks', curl: () => '' },
  client_secret_basic: {
    secret: 'process.env.CLIENT_SECRET, // shown once, when it was made',
    how: null,
    why: '',
    curl: ({ client_id }: Application) => `\n  -u "${client_id}:$CLIENT_SECRET" \\`,
  },
  private_key_jwt: {
    secret: 'undefined,',
    how: 'client.PrivateKeyJwt({ key, kid })',
    why: 'the private half of a key under Settings, a CryptoKey',
    curl: () =>
      '\n  -d client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer \\\n  -d client_assertion="$ASSERTION" \\',
  },
};

/** Example code for signing a user in: with openid-client, and step by step. */
export function quickStart(application: Application, { issuer, token_endpoint }: Discovery): Snippet[] {
  const confidential = application.app_type === 'confidential';
  const redirectUri = redirectUrisOf(application)[0] ?? '';
  const plainHttp = issuer.startsWith('http:');
  const proof = proofs[application.token_endpoint_auth_method ?? (confidential ? 'client_secret_basic' : 'none')];
  const secret = proof.secret;
  const how = plainHttp
    ? `  ${proof.how ?? 'undefined'},\n  { execute: [client.allowInsecureRequests] }, // only while the service runs on http\n`
    : proof.how
      ? `  ${proof.how}, // ${proof.why}\n`
      : '';
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
curl ${token_endpoint} \\${proof.curl(application)}
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
