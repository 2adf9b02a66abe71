/** Clients of MCP as their SDK writes them, that know the address of a server and nothing else, against a running service. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/client';
import { localhostTls } from '../server/src/video/localhost-tls.fixture.ts';
import { type Caller, type Service, startService } from './service.ts';

const redirectUrl = 'http://127.0.0.1:49152/callback';
const metadata = {
  client_name: 'An agent',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
};

let service: Service;
let user: Caller;
let documents: Bun.Server<unknown>;
let documentUrl: string;
const folder = mkdtempSync(join(tmpdir(), 'svc-client-documents-'));

beforeAll(async () => {
  documents = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: localhostTls,
    fetch: () => Response.json({ client_id: documentUrl, token_endpoint_auth_method: 'none', ...metadata }),
  });
  documentUrl = `https://localhost:${documents.port}/client.json`;
  const trusted = join(folder, 'trusted.pem');
  writeFileSync(trusted, localhostTls.cert);
  service = await startService({
    env: { OPENID_CONNECT: '1', ALLOW_PRIVATE_WEBHOOKS: '1', NODE_EXTRA_CA_CERTS: trusted },
  });
  user = await service.user();
  const body = { key: 'OAuth2DynamicRegistration', value: true };
  await service.root.api('/api/admin/options', { method: 'PUT', body });
});
afterAll(async () => {
  await service.stop();
  await documents.stop(true);
  rmSync(folder, { recursive: true });
});

type Saved<Name extends keyof OAuthClientProvider> = Parameters<
  Extract<OAuthClientProvider[Name], (...given: never[]) => unknown>
>[0];

/** What a client keeps between the steps. */
function provider(fields: Partial<OAuthClientProvider>) {
  const kept: {
    client?: Saved<'saveClientInformation'>;
    tokens?: Saved<'saveTokens'>;
    found?: Saved<'saveDiscoveryState'>;
    verifier: string;
    sentTo: URL | null;
  } = { verifier: '', sentTo: null };
  const steps: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: metadata,
    clientInformation: () => kept.client,
    saveClientInformation: (client) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    discoveryState: () => kept.found,
    saveDiscoveryState: (found) => {
      kept.found = found;
    },
    redirectToAuthorization: (url) => {
      kept.sentTo = url;
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    ...fields,
  };
  return { kept, steps };
}

/** What the consent page shows, and does when the user approves. */
async function approve(authorization: URL) {
  const { response_type: _, ...request } = Object.fromEntries(authorization.searchParams);
  const asked = await user.api<{ application: Record<string, unknown>; resources: { uri: string }[] }>(
    `/api/oauth2/authorize${authorization.search}`,
  );
  const body = { ...request, approved: true };
  const { redirect_url } = await user.api<{ redirect_url: string }>('/api/oauth2/authorize', { method: 'POST', body });
  return { asked, back: new URL(redirect_url).searchParams };
}

async function connect(fields: Partial<OAuthClientProvider>) {
  const serverUrl = `${service.url}/mcp/notes`;
  const { kept, steps } = provider(fields);
  expect(await auth(steps, { serverUrl })).toBe('REDIRECT');
  const { asked, back } = await approve(kept.sentTo!);
  expect(asked.resources).toMatchObject([{ uri: serverUrl }]);
  const step = { serverUrl, authorizationCode: back.get('code')!, iss: back.get('iss')! };
  expect(await auth(steps, step)).toBe('AUTHORIZED');
  const first = kept.tokens!.access_token;
  // For the server alone: nothing else of the user is open to whoever runs that.
  const elsewhere = await fetch(`${service.url}/api/oauth2/userinfo`, {
    headers: { authorization: `Bearer ${first}` },
  });
  expect(elsewhere.status).toBe(401);
  expect(await auth(steps, { serverUrl })).toBe('AUTHORIZED');
  expect(kept.tokens!.access_token).not.toBe(first);
  return { asked, kept };
}

test('an MCP client connects with a metadata document as its client id', async () => {
  const { asked, kept } = await connect({ clientMetadataUrl: documentUrl });
  expect(kept.client).toMatchObject({ client_id: documentUrl });
  expect(asked.application).toMatchObject({ name: 'An agent', source: 'document', host: new URL(documentUrl).host });
});

test.each(['none', 'client_secret_basic', 'client_secret_post'])(
  'an MCP client connects by registering itself with %s',
  async (token_endpoint_auth_method) => {
    const { asked, kept } = await connect({ clientMetadata: { ...metadata, token_endpoint_auth_method } });
    expect(kept.client!.client_id).toStartWith('svc_');
    expect('client_secret' in kept.client!).toBe(token_endpoint_auth_method !== 'none');
    expect(asked.application).toMatchObject({ name: 'An agent', source: 'registration' });
  },
);
