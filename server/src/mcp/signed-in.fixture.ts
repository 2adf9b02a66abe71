import { decodeJwt, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose';
import type { Member, TestApp } from '../app.fixture.ts';
import { type Binding, nonceHeader, provenKey } from './bound.fixture.ts';
import { connectClient, type McpTestServer, startMcp } from './mcp.fixture.ts';

export interface SignedInServer {
  url: string;
  /** The server behind, which nobody reaches without a token. */
  behind: McpTestServer;
  /** Tokens that are taken. */
  valid: Set<string>;
  /** What was asked of the token endpoint. */
  asked: URLSearchParams[];
  registered: number;
  /** Where tokens are given back: what was, and the status of the answer; null where it takes none. */
  revocation: { status: number; asked: URLSearchParams[]; signed: (string | null)[] } | null;
  /** Nothing is renewed there, as things stand. */
  refusesRenewal: boolean;
  /** What its authorization server returned of itself besides. */
  claims: Record<string, unknown>;
  /** Its documents are those of OpenID Connect. */
  openId: boolean;
  /** Clients that somebody registered by hand, with their secrets (empty for none): nobody else is known, and nobody registers. */
  byHand: Record<string, string> | null;
  /** The same with public keys in place of secrets. */
  keys: Record<string, JWK>;
  /** Tokens of a platform that are traded in. */
  assertions: Set<string>;
  /** Whom somebody that is trusted vouches for by an assertion to this issuer; null for nobody. */
  vouchedFor: ((assertion: string, issuer: string) => Promise<string | null>) | null;
  /** It reads what clients say of themselves at the address that they give for their name. */
  readsDocuments: boolean;
  /** Whose documents say where to sign in; its own where nothing else is said. */
  issuer: string | null;
  /** What whoever comes without a token is told besides. */
  challenge: string | null;
  /** What calls of tools are refused with, as things stand. */
  refusal: string | null;
  /** Tokens are bound to keys; null for a server that knows nothing of it. */
  binding: Binding | null;
  stop(): void;
}

/** Tokens are redacted from what servers say, as long as they are written as they were sent. */
const spelled = (token: string): string => token.replaceAll('-', '~');
export const unspelled = (text: string): string => text.replaceAll('~', '-');

/** A server that its users sign in to, with an authorization server of its own that believes every code. */
export function startSignedIn(): SignedInServer {
  const behind = startMcp([
    { name: 'who', answer: (_, { http }) => spelled(http?.req?.headers.get('authorization') ?? 'nobody') },
  ]);
  const state = {
    behind,
    valid: new Set(),
    asked: [],
    registered: 0,
    revocation: null,
    openId: false,
    claims: {},
    refusesRenewal: false,
    byHand: null,
    keys: {},
    assertions: new Set(),
    vouchedFor: null,
    readsDocuments: false,
    issuer: null,
    challenge: null,
    refusal: null,
    binding: null,
  } as unknown as SignedInServer;
  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    fetch: async (request) => {
      const { origin, pathname } = new URL(request.url);
      if (pathname === '/mcp') return throughTo(state, request);
      const answer = await documents[pathname]?.(origin, request, state);
      return answer ?? new Response('nothing here', { status: 404 });
    },
  });
  state.url = `http://127.0.0.1:${listener.port}/mcp`;
  state.stop = () => {
    void listener.stop(true);
    behind.stop();
  };
  return state;
}

/** What an authorization server says of itself. */
const authorizationServer = (
  origin: string,
  { byHand, keys, readsDocuments, binding, revocation, claims }: SignedInServer,
): object => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  ...(!byHand && { registration_endpoint: `${origin}/register` }),
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: byHand
    ? ['client_secret_basic', 'none', ...(Object.keys(keys).length > 0 ? ['private_key_jwt'] : [])]
    : ['none'],
  ...(binding?.issuerTakes && { dpop_signing_alg_values_supported: binding.issuerTakes }),
  ...(readsDocuments && { client_id_metadata_document_supported: true }),
  ...(revocation && { revocation_endpoint: `${origin}/revoke` }),
  ...claims,
});

type Document = (origin: string, request: Request, state: SignedInServer) => Response | Promise<Response>;

const documents: Record<string, Document> = {
  '/.well-known/oauth-protected-resource/mcp': (origin, _, { issuer, binding }) =>
    Response.json({
      resource: `${origin}/mcp`,
      authorization_servers: [issuer ?? origin],
      ...binding?.resourceSays,
    }),
  /** Found by whoever reads the challenge, and by nobody else. */
  '/elsewhere/documents': (origin) =>
    Response.json({ resource: `${origin}/mcp`, authorization_servers: [`${origin}/inner`] }),
  '/.well-known/oauth-authorization-server/inner': (origin) =>
    Response.json({
      issuer: `${origin}/inner`,
      authorization_endpoint: `${origin}/inner/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    }),
  '/.well-known/oauth-authorization-server': (origin, _, state) =>
    state.openId ? new Response(null, { status: 404 }) : Response.json(authorizationServer(origin, state)),
  '/.well-known/openid-configuration': (origin, _, state) =>
    state.openId
      ? Response.json({
          ...authorizationServer(origin, state),
          jwks_uri: `${origin}/keys`,
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        })
      : new Response(null, { status: 404 }),
  /** Asks nobody anything. */
  '/authorize': (_, request) => {
    const asked = new URL(request.url).searchParams;
    const back = new URL(asked.get('redirect_uri')!);
    back.searchParams.set('code', 'alice');
    back.searchParams.set('state', asked.get('state')!);
    return Response.redirect(back.href, 302);
  },
  '/register': async (_, request, state) => {
    if (state.byHand) return Response.json({ error: 'access_denied' }, { status: 403 });
    state.registered += 1;
    const wanted = (await request.json()) as object;
    return Response.json({ ...wanted, client_id: `client-${state.registered}` }, { status: 201 });
  },
  '/revoke': async (_, request, state) => {
    const asked = new URLSearchParams(await request.text());
    const stranger = await strangerTo(state, request, asked);
    if (!state.revocation || stranger !== null) return Response.json({ error: 'invalid_client' }, { status: 401 });
    state.revocation.asked.push(asked);
    state.revocation.signed.push(request.headers.get('authorization'));
    return new Response(null, { status: state.revocation.status });
  },
  '/token': async (origin, request, state) => {
    const asked = new URLSearchParams(await request.text());
    state.asked.push(asked);
    const stranger = await strangerTo(state, request, asked);
    // As careless ones do: what it was sent is in its answer.
    if (stranger !== null)
      return Response.json({ error: 'invalid_client', error_description: `who is ${stranger}?` }, { status: 401 });
    const { binding } = state;
    const proven = binding && (await provenKey(binding, 'issuer', request));
    if (proven && 'error' in proven)
      return Response.json({ error: proven.error }, { status: 400, headers: nonceHeader(proven.nonce) });
    const assertion = asked.get('assertion');
    const vouched = assertion === null ? null : await state.vouchedFor?.(assertion, origin);
    if (assertion !== null && !vouched && !state.assertions.has(assertion))
      return Response.json({ error: 'invalid_grant', error_description: `not ${assertion}` }, { status: 400 });
    const own = assertion !== null || asked.get('grant_type') === 'client_credentials';
    const who =
      vouched ?? (own ? 'service' : (asked.get('code') ?? asked.get('refresh_token')?.replace('refresh-', '')));
    const isRefused = state.refusesRenewal && asked.has('refresh_token');
    if (!who || who === 'wrong' || isRefused) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    const before = binding?.keys.get(asked.get('refresh_token') ?? '');
    if (before !== undefined && before !== proven?.thumbprint)
      return Response.json({ error: 'invalid_grant' }, { status: 400 });
    const access_token = `token-${who}-${state.asked.length}`;
    if (proven) for (const one of [access_token, `refresh-${who}`]) binding.keys.set(one, proven.thumbprint);
    state.valid.add(access_token);
    const expires_in = 3_600;
    const scope = asked.get('scope') ?? 'list';
    // RFC 6749 §4.4.3: a client that signs in for itself is given nothing to renew with.
    const renewing = own ? {} : { refresh_token: `refresh-${who}` };
    return Response.json({ access_token, token_type: binding?.tokenType ?? 'Bearer', expires_in, scope, ...renewing });
  },
};

/** What a client says of itself that is not known here; null for one that is. */
async function strangerTo(
  { byHand, keys }: SignedInServer,
  request: Request,
  asked: URLSearchParams,
): Promise<string | null> {
  if (!byHand) return null;
  const assertion = asked.get('client_assertion');
  if (assertion !== null) return signedByStranger(keys, assertion, new URL(request.url).origin);
  const header = request.headers.get('authorization') ?? '';
  const sent = header.startsWith('Basic ')
    ? atob(header.slice(6)).split(':').map(formDecoded).join(':')
    : `${asked.get('client_id')}:`;
  return Object.entries(byHand).some(([id, secret]) => `${id}:${secret}` === sent) ? null : `${sent} (${header})`;
}

/** RFC 6749 §2.3.1: both halves of Basic credentials are form-encoded. */
const formDecoded = (half: string): string => decodeURIComponent(half.replaceAll('+', ' '));

/** By the clock of whoever signed, which stands still in tests. */
async function signedByStranger(
  keys: SignedInServer['keys'],
  assertion: string,
  issuer: string,
): Promise<string | null> {
  const { iss = '', iat = 0, sub, jti } = decodeJwt(assertion);
  const key = keys[iss];
  if (!key || sub !== iss || !jti) return iss;
  const currentDate = new Date(iat * 1_000);
  const { alg } = decodeProtectedHeader(assertion);
  const verified = jwtVerify(assertion, await importJWK(key, alg), {
    issuer: iss,
    audience: issuer,
    currentDate,
    maxTokenAge: 5,
  });
  return verified.then(
    () => null,
    (error: Error) => `${iss} (${error.message})`,
  );
}

const refusing = (status: number, challenge: string | null, more: Record<string, string> = {}): Response =>
  new Response('who are you?', {
    status,
    headers: { ...(challenge !== null && { 'www-authenticate': challenge }), ...more },
  });

async function throughTo(state: SignedInServer, request: Request): Promise<Response> {
  const { behind, valid } = state;
  const [scheme, token = ''] = request.headers.get('authorization')?.split(' ') ?? [];
  if (!valid.has(token) || scheme !== (state.binding ? 'DPoP' : 'Bearer')) return refusing(401, state.challenge);
  if (state.binding) {
    const proven = await provenKey(state.binding, 'server', request, token);
    const stranger = 'error' in proven || proven.thumbprint !== state.binding.keys.get(token);
    const { error = 'invalid_token', nonce = null } = 'error' in proven ? proven : {};
    if (stranger) return refusing(401, `DPoP error="${error}"`, nonceHeader(nonce));
  }
  const body = await request.text();
  if (state.refusal !== null && body.includes('tools/call')) return refusing(403, state.refusal);
  const { method, headers } = request;
  return fetch(behind.url, { method, headers, ...(body !== '' && { body }) });
}

/** With which token the server is called for a user, by what its tool says. */
export async function tokenSeen(t: Pick<TestApp, 'app' | 'config'>, name: string, by: Member): Promise<string> {
  const { client } = await connectClient(t, `/mcp/${name}`, await by.key());
  try {
    const { content } = await client.callTool({ name: 'who', arguments: {} });
    return unspelled((content as { text: string }[])[0]!.text);
  } finally {
    await client.close();
  }
}
