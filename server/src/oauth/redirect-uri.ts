import { isPrivateUse } from './private-use-schemes.ts';

const mostCharacters = 2000;
/** Parameters that answers add: they must not occur twice (RFC 6749 §3.1), as programs differ on which one counts. */
const answered = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri'];

/** RFC 8252 §7.3: native applications listen on any free port. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::(\d{1,5}))?((?:[/?].*)?)$/;

/** Why a redirect URI cannot be registered, or null (RFC 6749 §3.1.2, RFC 8252 §7). */
export function redirectUriFault(uri: string): string | null {
  if (uri.length > mostCharacters) return `must have at most ${mostCharacters} characters`;
  // Browsers interpret backslashes and control characters differently.
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes('\\')) return 'must be printable ASCII without spaces or backslashes';
  if (uri.includes('#')) return 'must not contain a fragment';
  if (uri.includes('*')) return 'must not contain a wildcard';
  const url = URL.parse(uri);
  if (!url) return 'must be an absolute URI';
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  if (!isWeb && !isPrivateUse(url.protocol)) return `must not use ${url.protocol}`;
  // Also if empty: parsers disagree on the host.
  if (url.username !== '' || url.password !== '' || /^[^/?]*\/\/[^/?]*@/.test(uri))
    return 'must not contain a user name or password';
  if (answered.some((name) => url.searchParams.has(name)))
    return 'must not have code, state, iss or error in its query: responses add them';
  if (url.protocol === 'https:') return webForm(uri, url);
  if (url.protocol === 'http:') return loopback.test(uri) ? null : 'must use https, except on localhost';
  return /^[A-Za-z][A-Za-z0-9+.-]*:./.test(uri) ? null : 'must have something after the scheme';
}

/** `https:host` and `https:///host` parse, but would not compare equal. */
const webForm = (uri: string, url: URL): string | null =>
  /^https?:\/\/[^/?]/i.test(uri) && url.hostname !== '' ? null : 'must be an absolute URI';

/** Exact string comparison (RFC 9700 §2.1), except for the port of a loopback address. */
export function redirectUriMatches(registered: readonly string[], requested: string): boolean {
  if (registered.includes(requested)) return true;
  const asked = loopback.exec(requested);
  if (!asked || Number(asked[2] ?? 0) > 65_535) return false;
  return registered.some((uri) => {
    const known = loopback.exec(uri);
    return known !== null && known[1] === asked[1] && known[3] === asked[3];
  });
}

/** Appends parameters; existing ones are kept byte for byte (RFC 6749 §3.1.2). */
export function withParameters(uri: string, parameters: Record<string, string | undefined>): string {
  const added = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const query = uri.indexOf('?');
  if (query < 0) return `${uri}?${added}`;
  // Only the first question mark starts the query.
  return query === uri.length - 1 || uri.endsWith('&') ? `${uri}${added}` : `${uri}&${added}`;
}
