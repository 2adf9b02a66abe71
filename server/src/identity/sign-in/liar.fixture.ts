import { generateKeyPairSync, sign } from 'node:crypto';

/** A provider that says whatever a test wants: what no honest one would. */
export interface Lies {
  /** Over what the document says. */
  document?: Record<string, unknown>;
  /** Over the header and the claims of the ID token. */
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  /** Signs with a key that is not published. */
  foreignKey?: boolean;
  unsigned?: boolean;
  /** Sends elsewhere instead of answering, by path. */
  redirect?: Record<string, string>;
  noToken?: boolean;
  /** What is answered at the token endpoint in place of the usual; undefined for the usual. */
  token?: (asked: URLSearchParams, idToken: (nonce?: string) => string) => Answer | Promise<Answer>;
}

type Answer = object | Response | undefined;

const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const own = pair();
const foreign = pair();
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Asks nobody anything. */
function sentBack(asked: URLSearchParams): Response {
  const place = new URL(asked.get('redirect_uri') ?? '');
  place.searchParams.set('code', asked.get('nonce') ?? '');
  place.searchParams.set('state', asked.get('state') ?? '');
  return Response.redirect(place.href, 302);
}

export function startLiar() {
  const told: string[] = [];
  const state: { lies: Lies } = { lies: {} };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      told.push(pathname);
      if (pathname === '/authorize') return sentBack(searchParams);
      const place = state.lies.redirect?.[pathname];
      if (place) return new Response(null, { status: 302, headers: { location: place } });
      // Each browser brings its own nonce, as its code.
      const asked = new URLSearchParams(request.method === 'POST' ? await request.text() : '');
      const own = pathname === '/token' && (await state.lies.token?.(asked, idToken));
      const answer = own || answers[pathname]?.(asked.get('code') ?? '');
      if (answer instanceof Response) return answer;
      return answer ? Response.json(answer) : new Response('', { status: 404 });
    },
  });
  const issuer = `http://127.0.0.1:${server.port}`;
  /** Signed as all that it says is. */
  const signed = (header: object, claims: object): string => {
    const { foreignKey, unsigned } = state.lies;
    const [head, body] = [base64({ alg: 'RS256', kid: 'one', ...header }), base64(claims)];
    if (unsigned) return `${head}.${body}.`;
    const signature = sign('sha256', Buffer.from(`${head}.${body}`), (foreignKey ? foreign : own).privateKey);
    return `${head}.${body}.${signature.toString('base64url')}`;
  };
  const idToken = (nonce?: string): string => {
    const now = Math.floor(Date.now() / 1000);
    const { header = {}, claims } = state.lies;
    const usual = { iss: issuer, aud: 'svc', sub: 'mallory', iat: now, exp: now + 300, nonce };
    const person = { name: 'Mallory', email: 'mallory@liar.example', email_verified: true };
    return signed(header, { ...usual, ...person, ...claims });
  };
  const answers: Record<string, (code: string) => object> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      ...state.lies.document,
    }),
    '/keys': () => ({ keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] }),
    '/token': (code) => ({
      access_token: 'a',
      token_type: 'bearer',
      ...(!state.lies.noToken && { id_token: idToken(code) }),
    }),
  };
  return { issuer, told, state, signed, publicKey: own.publicKey, stop: () => server.stop(true) };
}

export type Liar = ReturnType<typeof startLiar>;
