import type { Configuration, ServerMetadata } from 'openid-client';
import type { Claims } from './claims.ts';

/** GitHub or GitHub Enterprise Server: OAuth 2 only, with an API for user data. */
export const githubMetadata = (issuer: string): ServerMetadata => ({
  issuer,
  authorization_endpoint: `${issuer}/login/oauth/authorize`,
  token_endpoint: `${issuer}/login/oauth/access_token`,
  token_endpoint_auth_methods_supported: ['client_secret_post'],
});

const apiOf = (issuer: string): string =>
  issuer === 'https://github.com' ? 'https://api.github.com' : `${issuer}/api/v3`;

interface Email {
  email: string;
  primary: boolean;
  verified: boolean;
}

/** The token's account as OpenID claims. */
export async function githubClaims(upstream: Configuration, issuer: string, accessToken: string): Promise<Claims> {
  const { fetchProtectedResource } = await import('openid-client');
  const read = async (path: string): Promise<unknown> => {
    const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'svc' });
    const url = new URL(`${apiOf(issuer)}${path}`);
    const answer = await fetchProtectedResource(upstream, accessToken, url, 'GET', null, headers);
    if (answer.status !== 200) throw new Error(`GET ${path} returned status ${answer.status}`);
    return answer.json();
  };
  const user = (await read('/user')) as Record<string, unknown>;
  if (typeof user.id !== 'number') throw new Error('GET /user has no id');
  const emails = (await read('/user/emails')) as unknown;
  const primary = Array.isArray(emails) ? (emails as Email[]).find((one) => one?.primary === true) : undefined;
  return {
    ...user,
    sub: String(user.id),
    preferred_username: user.login,
    name: user.name ?? user.login,
    picture: user.avatar_url,
    email: primary?.email,
    email_verified: primary?.verified,
  };
}
