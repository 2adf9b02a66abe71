import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../lib/errors.ts';
import { redirectUriFault, redirectUriMatches, withParameters } from './redirect-uri.ts';
import { allScopes, registeredScopes, requestedScopes, type Scope, splitScopes } from './scopes.ts';

const anyText = fc.string({ unit: 'binary' });
const scope = fc.constantFrom(...allScopes);
const scopeText = fc.oneof(
  anyText,
  fc.array(fc.oneof(scope, fc.constant(''), fc.constant('admin'))).map((all) => all.join(' ')),
);

function orRefusal<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_scope') return null;
    throw error;
  }
}

test('scopes include openid, no duplicates and only allowed ones, or fail with invalid_scope', () => {
  fc.assert(
    fc.property(scopeText, fc.uniqueArray(scope), (text, more) => {
      const allowed = new Set<Scope>(['openid', ...more]);
      const granted = orRefusal(() => requestedScopes(text, allowed));
      const asked = splitScopes(text);
      expect(granted === null).toBe(asked.some((name) => !allowed.has(name as Scope)));
      if (!granted) return;
      expect(granted).toContain('openid');
      expect(new Set(granted).size).toBe(granted.length);
      expect(new Set<string>(granted)).toEqual(new Set<string>(['openid', ...asked]));
    }),
  );
});

test('registered scopes round-trip', () => {
  fc.assert(
    fc.property(scopeText, (text) => {
      const registered = orRefusal(() => registeredScopes(text, allScopes.join(' ')));
      if (registered !== null) expect(registeredScopes(registered, allScopes.join(' '))).toBe(registered);
    }),
  );
});

const uriText = fc.oneof(
  anyText,
  fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https'] }),
  fc.stringMatching(/^(https?|javascript|com\.app|data):\/{0,3}[a-z0-9@:.[\]/?#*\\%]{0,30}$/),
);

test('a redirect URI that can be registered is safe for a browser', () => {
  fc.assert(
    fc.property(uriText, (uri) => {
      if (redirectUriFault(uri) !== null) return;
      const url = new URL(uri);
      expect(url.hash + url.username + url.password).toBe('');
      expect(uri).toMatch(/^[\x21-\x7e]+$/);
      expect(['javascript:', 'data:', 'file:', 'blob:', 'about:', 'vbscript:']).not.toContain(url.protocol);
      if (url.protocol === 'http:') expect(['localhost', '127.0.0.1', '[::1]']).toContain(url.hostname);
      expect(redirectUriMatches([uri], uri)).toBe(true);
      // What we add arrives, and the place stays the same.
      const led = new URL(withParameters(uri, { code: 'a&b=c', state: 'é #' }));
      expect([led.searchParams.get('code'), led.searchParams.get('state')]).toEqual(['a&b=c', 'é #']);
      expect([led.protocol, led.host, led.pathname]).toEqual([url.protocol, url.host, url.pathname]);
    }),
    {
      numRuns: 1_000,
      examples: [
        ['com.app://@.'],
        ['https://@a.example/'],
        ['com.app:??'],
        ['https://a.example/?a=?'],
        ['https://a.example/?'],
      ],
    },
  );
});

test('two different addresses never match, except for the port of a loopback address', () => {
  fc.assert(
    fc.property(uriText, uriText, (registered, requested) => {
      if (redirectUriFault(registered) !== null || registered === requested) return;
      if (!redirectUriMatches([registered], requested)) return;
      const [one, other] = [new URL(registered), new URL(requested)];
      expect(['localhost', '127.0.0.1', '[::1]']).toContain(one.hostname);
      expect([other.hostname, other.pathname, other.search]).toEqual([one.hostname, one.pathname, one.search]);
    }),
    { numRuns: 1_000 },
  );
});
