import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readOptionValue } from '../identity/option-table.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { provesClient, readCredentials } from './client-auth.ts';
import { newClientId, newClientSecret, newCode, newTokens, openTokenIds, readToken } from './credentials.ts';
import { checkVerifierForm, readChallenge, s256, verifierMatches } from './pkce.ts';
import { redirectUriFault, redirectUriMatches, withParameters } from './redirect-uri.ts';
import { allowedNow, allScopes, registeredScopes, requestedScopes, within } from './scopes.ts';

test('credentials have the formats of the specification', () => {
  expect(newClientId()).toMatch(/^svc_[0-9A-Za-z]{32}$/);
  expect(newClientSecret()).toMatch(/^svcsec_[0-9A-Za-z]{48}$/);
  expect(newCode()).toMatch(/^[0-9A-Za-z]{40}$/);
  const { accessToken, refreshToken } = newTokens(openTokenIds()(Date.now()));
  expect(accessToken).toMatch(/^svcat_[0-9A-Za-z]{48}$/);
  expect(refreshToken).toMatch(/^svcrt_[0-9A-Za-z]{48}$/);
});

describe('token format', () => {
  test('both tokens of a pair contain its id and their kind', () => {
    const nextId = openTokenIds();
    for (const id of [0, nextId(0), nextId(Date.now()), nextId(2 ** 42 - 2), Number.MAX_SAFE_INTEGER]) {
      const { accessToken, refreshToken } = newTokens(id);
      expect(readToken(accessToken)).toEqual({ kind: 'access', id, hash: sha256Hex(accessToken) });
      expect(readToken(refreshToken)).toEqual({ kind: 'refresh', id, hash: sha256Hex(refreshToken) });
    }
  });

  test('ids increase, even if the clock stands still or goes back', () => {
    const nextId = openTokenIds();
    const times = [...Array.from({ length: 5_000 }, () => 1_700_000_000_000), 1_700_000_000_100, 1_600_000_000_000];
    const ids = times.map(nextId);
    expect(ids.every((id, i) => i === 0 || id > ids[i - 1]!)).toBe(true);
    expect(ids.every(Number.isSafeInteger)).toBe(true);
  });

  test('the part after the id is random for each token', () => {
    const pairs = Array.from({ length: 1_000 }, () => newTokens(1));
    const ends = pairs.flatMap(({ accessToken, refreshToken }) => [accessToken.slice(-39), refreshToken.slice(-39)]);
    expect(new Set(ends).size).toBe(2_000);
  });

  test('other text is not a token', () => {
    const rest = 'a'.repeat(39);
    expect(readToken(`svcat_000000000${rest}`)).not.toBeNull();
    for (const text of [
      '',
      `svcat_00000000${rest}`,
      `svcxt_000000000${rest}`,
      `svcat_zzzzzzzzz${rest}`,
      `svcat_00000000_${rest}`,
    ])
      expect(readToken(text)).toBeNull();
  });
});

describe('PKCE', () => {
  // RFC 7636 appendix B.
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

  test('matches the example of the RFC', () => {
    expect(s256(verifier)).toBe(challenge);
    const stored = { code_challenge: challenge, code_challenge_method: 'S256' };
    expect(verifierMatches(stored, verifier)).toBe(true);
    expect(verifierMatches(stored, challenge)).toBe(false);
    expect(verifierMatches(stored, undefined)).toBe(false);
    expect(verifierMatches({ code_challenge: verifier, code_challenge_method: 'plain' }, verifier)).toBe(true);
    expect(verifierMatches({ code_challenge: null, code_challenge_method: null }, undefined)).toBe(true);
    expect(verifierMatches({ code_challenge: null, code_challenge_method: null }, verifier)).toBe(false);
  });

  test('validates the request parameters', () => {
    expect(readChallenge({}, false)).toBeNull();
    expect(readChallenge({ code_challenge: challenge }, true)).toEqual({
      code_challenge: challenge,
      code_challenge_method: 'plain',
    });
    expect(() => readChallenge({}, true)).toThrow('required');
    expect(() => readChallenge({ code_challenge: '' }, true)).toThrow('required');
    expect(() => readChallenge({ code_challenge_method: 'S256' }, false)).toThrow('requires');
    expect(() => readChallenge({ code_challenge: challenge, code_challenge_method: 'S512' }, false)).toThrow('S256');
    for (const bad of ['x'.repeat(42), 'x'.repeat(129), `${'x'.repeat(43)}=`])
      expect(() => readChallenge({ code_challenge: bad }, false)).toThrow('43-128');
    for (const length of [43, 128]) expect(() => checkVerifierForm('x'.repeat(length))).not.toThrow();
    for (const length of [0, 42, 129]) expect(() => checkVerifierForm('x'.repeat(length))).toThrow('43-128');
  });
});

describe('redirect URIs', () => {
  test('a registered https address matches only itself', () => {
    const registered = ['https://a.example/cb'];
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (uri) => {
        expect(redirectUriMatches(registered, uri)).toBe(uri === registered[0]);
      }),
    );
    expect(redirectUriMatches(registered, 'https://a.example/cb')).toBe(true);
  });

  test('parameters are appended to an existing query', () => {
    expect(withParameters('https://a.example/', { code: 'c', state: undefined })).toBe('https://a.example/?code=c');
    expect(withParameters('https://a.example/?x=%20', { code: 'c' })).toBe('https://a.example/?x=%20&code=c');
    expect(withParameters('https://a.example/?', { code: 'c' })).toBe('https://a.example/?code=c');
    expect(withParameters('my.app:/cb', { state: 'ä &=' })).toBe('my.app:/cb?state=%C3%A4%20%26%3D');
  });

  test('a state round-trips unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (state) => {
        const url = withParameters('https://a.example/cb?x=1', { code: 'c', state });
        expect(new URL(url).searchParams.get('state')).toBe(state);
      }),
    );
  });

  test('registration errors name the problem', () => {
    expect(redirectUriFault('https://a.example/cb?x=1')).toBeNull();
    expect(redirectUriFault('http://[::1]:8080')).toBeNull();
    expect(redirectUriFault('http://127.0.0.2/')).toContain('https');
    expect(redirectUriFault('http://0x7f.1/')).toContain('https');
    expect(redirectUriFault('http://localhost:99999/')).toContain('absolute');
    expect(redirectUriFault('my.app:')).toContain('after the scheme');
    expect(redirectUriFault('https://a.example/#')).toContain('fragment');
  });

  test.each([
    'mailto:a@b.example',
    'tel:123',
    'sms:1',
    'view-source:https://a.example',
    'intent://x',
    'search-ms:query=x',
  ])('%s is rejected: its scheme does not belong to an application', (uri) => {
    for (const written of [uri, uri.replace(/^\w/, (letter) => letter.toUpperCase())])
      expect(redirectUriFault(written)).toContain('must not use');
    // What was registered before goes on.
    expect(redirectUriMatches([uri], uri)).toBe(true);
  });

  test.each(['com.example.app:/cb', 'myapp://cb', 'cursor://some.editor/callback', 'vscode://some.tool/callback'])(
    '%s is accepted as an application’s own scheme',
    (uri) => {
      expect(redirectUriFault(uri)).toBeNull();
    },
  );

  test.each(['code', 'state', 'iss', 'error', 'error_description', '%63ode', 'st%61te', 'x=1&iss'])(
    'an address with %s in its query is rejected, since responses add it',
    (name) => {
      for (const start of ['https://a.example/cb?', 'http://localhost/?', 'my.app:/cb?'])
        for (const query of [name, `${name}=`, `${name}=1&y=2`])
          expect(redirectUriFault(`${start}${query}`)).toContain('responses add');
      expect(redirectUriFault(`https://a.example/${name.replace('&', '/')}?my_${name.replace('&', '.')}=1`)).toBeNull();
    },
  );
});

describe('client credentials', () => {
  const header = (text: string) => `Basic ${btoa(text)}`;
  test('are accepted from one place only', () => {
    expect(readCredentials({ authorization: null })).toBeNull();
    expect(readCredentials({ authorization: null, client_id: 'a', client_secret: '' })).toEqual({
      clientId: 'a',
      secret: null,
    });
    expect(readCredentials({ authorization: header('svc%5Fa:s%3A+x') })).toEqual({
      clientId: 'svc_a',
      secret: 's: x',
    });
    expect(readCredentials({ authorization: header('a:b'), client_id: 'a' })?.secret).toBe('b');
    expect(() => readCredentials({ authorization: header('a:b'), client_id: 'c' })).toThrow('different');
    expect(() => readCredentials({ authorization: header('a:b'), client_secret: 'b' })).toThrow('not both');
    for (const bad of [
      '',
      'Basic',
      'Basic a b',
      header('ab'),
      header(':b'),
      header('%:b'),
      header('a%00:b'),
      'Digest x',
    ])
      expect(() => readCredentials({ authorization: bad })).toThrow('authentication failed');
  });

  test('a client authenticates only with its own method: secret, client id (public) or signature', () => {
    const closed = { app_type: 'confidential', secret_hash: sha256Hex('s'), signs_assertions: 0 };
    expect(provesClient(closed, { secret: 's' })).toBe(true);
    expect(provesClient(closed, { secret: 'S' })).toBe(false);
    expect(provesClient(closed, { secret: null })).toBe(false);
    expect(provesClient(closed, { secret: null, signed: true })).toBe(false);
    expect(provesClient({ ...closed, secret_hash: '' }, { secret: '' })).toBe(false);
    const open = { ...closed, app_type: 'public', secret_hash: '' };
    expect(provesClient(open, { secret: null })).toBe(true);
    expect(provesClient(open, { secret: 's' })).toBe(false);
    expect(provesClient(open, { secret: null, signed: true })).toBe(false);
    const signing = { ...closed, signs_assertions: 1 };
    expect(provesClient(signing, { secret: null, signed: true })).toBe(true);
    // Also where a secret was left behind.
    expect(provesClient(signing, { secret: 's' })).toBe(false);
    expect(provesClient(signing, { secret: null })).toBe(false);
    expect(provesClient(null, { secret: 'no client has this secret' })).toBe(false);
    expect(provesClient(null, { secret: null, signed: true })).toBe(false);
  });
});

test('the operator can allow only existing scopes', () => {
  const read = (text: string) => readOptionValue('OAuth2AllowedScopes', text);
  for (const text of [...allScopes, allScopes.join(' '), ' openid  email ', ''])
    expect(read(text)).toEqual({ value: text });
  for (const wrong of ['nonsense', 'openid nonsense', 'openid,email', 'openid\nemail', 'Openid', 'mcp:files'])
    expect(read(wrong)).toEqual({ fault: expect.stringContaining('must be scopes of this service') });
});

test('scopes always include openid, and nothing beyond what is allowed', () => {
  const allowed = allowedNow('email profile', 'openid email');
  expect(allScopes.filter((name) => allowed.has(name))).toEqual(['openid', 'email']);
  expect(requestedScopes(undefined, allowed)).toEqual(['openid']);
  expect(requestedScopes(' email  email ', allowed)).toEqual(['openid', 'email']);
  expect(() => requestedScopes('profile', allowed)).toThrow('profile');
  expect(() => requestedScopes('email\tprofile', allowed)).toThrow();
  expect(within('openid email profile', allowed)).toEqual(['openid', 'email']);
  expect(registeredScopes('email openid email', 'openid email')).toBe('email openid');
  expect(() => registeredScopes('usage:read', 'openid email')).toThrow('usage:read');
});
