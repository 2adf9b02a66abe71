import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../lib/errors.ts';
import type { OutgoingAnswer } from '../../platform/http/outgoing.ts';
import { documentUrl, readDocument } from './document.ts';
import { documentOf } from './documents.fixture.ts';

const url = 'https://client.example/client.json';

describe('client ids that are document addresses', () => {
  test.each([
    url,
    'https://client.example/a',
    'https://client.example/a/',
    'https://client.example:8443/a',
    'https://client.example/a?b=c',
    'https://client.example/a..b/.well-known/c.',
    'https://xn--bcher-kva.example/client.json',
  ])('%s', (clientId) => expect(documentUrl(clientId, false)?.href).toBe(clientId));
});

describe('other client ids', () => {
  test.each([
    ['', 'empty'],
    ['svc_abc', 'a registered client id'],
    ['http://client.example/a', 'no https'],
    ['http://127.0.0.1/a', 'no https, on loopback'],
    ['https://client.example', 'no path'],
    ['https://client.example/', 'no path but the root'],
    ['https://client.example?a', 'no path before the query'],
    ['https://client.example/a#', 'an empty fragment'],
    ['https://client.example/a#b', 'a fragment'],
    ['https://user@client.example/a', 'a user'],
    ['https://user:word@client.example/a', 'a password'],
    ['https://@client.example/a', 'an empty user'],
    ['https://client.example/./a', 'a dot'],
    ['https://client.example/a/..', 'two dots'],
    ['https://client.example/a/%2E%2e/b', 'two encoded dots'],
    ['https://client.example/a/.%2e/b', 'two dots, one encoded'],
    ['https://client.example\\a', 'a backslash'],
    ['https:/client.example/a', 'one slash'],
    ['https:client.example/a', 'no slash'],
    ['https:///client.example/a', 'three slashes'],
    ['https://Client.example/a', 'capitals'],
    ['HTTPS://client.example/a', 'a scheme in capitals'],
    ['https://client.example:443/a', 'the default port'],
    ['https://0x7f.1/a', 'an IP address in another notation'],
    ['https://bücher.example/a', 'unencoded international letters'],
    ['https://client.example/a b', 'a space'],
    [' https://client.example/a', 'a space before it'],
    ['https://client.example/a\n', 'a line break after it'],
    ['https://client.example/\ta', 'a tab'],
    ['ftp://client.example/a', 'another scheme'],
    ['javascript://client.example/a', 'a script'],
    [`https://client.example/${'x'.repeat(200)}`, 'too long'],
  ])('%j: %s', (clientId) => expect(documentUrl(clientId, false)).toBeNull());

  test('http is allowed only for loopback, and only if private addresses may be called', () => {
    for (const host of ['127.0.0.1:8080', 'localhost', '[::1]:8080'])
      expect(documentUrl(`http://${host}/a`, false)).toBeNull();
    for (const host of ['127.0.0.1:8080', 'localhost', '[::1]:8080'])
      expect(documentUrl(`http://${host}/a`, true)).not.toBeNull();
    for (const host of ['10.0.0.1', '127.0.0.1.example', 'localhost.example'])
      expect(documentUrl(`http://${host}/a`, true)).toBeNull();
  });
});

/** Near to addresses, so that some are. */
const nearAddress = fc
  .array(
    fc.oneof(
      fc.constantFrom('https://', 'http://', 'a.example', '/', '.', '..', '%2e', '#', '?', '@', ':', '\\', '443'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => `https://${parts.join('')}`);

test('property: accepted addresses are canonical and meet the requirements of the draft', () => {
  fc.assert(
    fc.property(fc.oneof(nearAddress, fc.webUrl({ withQueryParameters: true })), (text) => {
      const found = documentUrl(text, false);
      if (!found) return;
      expect(found.href).toBe(text);
      expect(found).toMatchObject({ protocol: 'https:', username: '', password: '', hash: '' });
      expect(text).not.toContain('#');
      expect(text.split('/').length).toBeGreaterThan(3);
      expect(found.pathname).not.toBe('/');
      for (const part of found.pathname.split('/')) expect(part.replace(/%2e/gi, '.')).not.toMatch(/^\.{1,2}$/);
    }),
    { numRuns: 500 },
  );
});

const answerOf = (document: unknown, fields: Partial<OutgoingAnswer> = {}): OutgoingAnswer => ({
  ...{ status: 200, headers: { 'content-type': 'application/json' }, truncated: false },
  body: new TextEncoder().encode(JSON.stringify(document)),
  ...fields,
});
const read = (answer: OutgoingAnswer) =>
  readDocument({ allowPrivate: false, send: async () => answer }, new URL(url)).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'invalid_request') return error;
    throw error;
  });

const keys = (key: Record<string, string>) => ({ jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }, key] } });

test.each([
  ['a secret', { client_secret: 'x' }],
  ['an empty secret', { client_secret: '' }],
  ['a null secret', { client_secret: null }],
  ['the expiry of a secret', { client_secret_expires_at: 0 }],
  ['a private key', keys({ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' })],
  ['part of a private key', keys({ kty: 'RSA', n: 'n', e: 'e', q: 'q' })],
  ['a symmetric key', keys({ kty: 'oct', k: 'k' })],
])('a document must not contain %s', async (_, fields) => {
  expect(await read(answerOf(documentOf(url, fields)))).toMatchObject({
    message: expect.stringContaining('must not contain a secret'),
  });
});

test.each([
  ['public keys', keys({ kty: 'RSA', n: 'n', e: 'e' })],
  ['invalid keys', { jwks: [{ d: 'd' }] }],
  ['null for what it does not say', { client_uri: null, scope: null, grant_types: null, jwks_uri: null }],
  ['unknown fields', { software_id: 'x', logo_uri: 'https://elsewhere.example/x', device: { d: 'd' } }],
])('a document may contain %s', async (_, fields) => {
  expect(await read(answerOf(documentOf(url, fields)))).toMatchObject({ metadata: { client_name: 'Some client' } });
});

test.each(['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'tls_client_auth', 1, ''])(
  'a document with the auth method %p is rejected',
  async (token_endpoint_auth_method) => {
    expect(await read(answerOf(documentOf(url, { token_endpoint_auth_method })))).toMatchObject({
      message: expect.stringContaining('must have none'),
    });
  },
);

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/oauth-client+json'])(
  'the content type %s is accepted as JSON',
  async (type) => {
    const answer = answerOf(documentOf(url), { headers: { 'content-type': type } });
    expect(await read(answer)).toMatchObject({ seconds: 300 });
  },
);

test.each(['text/html', 'text/json', 'application/jsonp', 'application/javascript', 'text/html; application/json', ''])(
  'the content type %j is rejected',
  async (type) => {
    const answer = answerOf(documentOf(url), { headers: { 'content-type': type } });
    expect(await read(answer)).toBeInstanceOf(AppError);
  },
);

const anyFields = fc.dictionary(
  fc.constantFrom(
    ...['client_id', 'client_name', 'client_uri', 'redirect_uris', 'token_endpoint_auth_method', 'grant_types'],
    ...['response_types', 'scope', 'post_logout_redirect_uris', 'jwks', 'client_secret', '__proto__', 'constructor'],
  ),
  fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>(url, ['https://a.example/'], 'none', ['code'], 'openid')),
);

test('property: any document is rejected with a reason, or accepted within bounds', async () => {
  await fc.assert(
    fc.asyncProperty(anyFields, fc.string(), fc.boolean(), async (fields, control, whole) => {
      const document = whole ? documentOf(url, fields) : fields;
      const headers = { 'content-type': 'application/json', 'cache-control': control };
      const found = await read(answerOf(document, { headers }));
      if (found instanceof AppError) return expect(found.message).toStartWith('The document at client_id ');
      expect(document).toMatchObject({ client_id: url });
      expect(document).not.toHaveProperty('client_secret');
      const { grant_types, redirect_uris } = found.metadata;
      expect(redirect_uris.length > 0 || !grant_types.includes('authorization_code')).toBe(true);
      expect(found.seconds).toBeWithin(300, 86_401);
    }),
    { numRuns: 500 },
  );
});
