import { z } from 'zod';
import type { Options } from '../../identity/options.ts';
import type { Call } from '../../platform/http/route.ts';

/** Settings shared by this room's routes. */
export const base = { tag: 'OAuth', errors: 'oauth' } as const;
export const management = { ...base, auth: 'session', limit: { option: 'RateLimitApi', by: 'principal' } } as const;

/** RFC 6749 §5.1: answers with or about tokens must not be cached. */
export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** Single-page applications call these from their own origin, with a token or code but never our cookie. */
export const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'www-authenticate, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset',
};

/** Redirects with a GET, whatever the method was (RFC 9110 §15.4.4). */
export const seeOther = (call: Pick<Call, 'headers'>, location: string): Response =>
  new Response(null, { status: 303, headers: { ...call.headers, location } });

/** RFC 8707 §2: may be repeated; in JSON it may be a list. */
export const resourceParameter = z.union([z.string(), z.array(z.string())]).optional();
export const repeatableIn =
  ({ options }: { options: Options }) =>
  (name: string): boolean =>
    name === 'resource' && options.get('OAuth2OpenIDConnect');
