import { z } from 'zod';
import type { Options } from '../../identity/options.ts';
import type { Call } from '../../platform/http/route.ts';

/** What the routes of this room share. */
export const base = { tag: 'OAuth', errors: 'oauth' } as const;
export const management = { ...base, auth: 'session', limit: { option: 'RateLimitApi', by: 'principal' } } as const;

/** RFC 6749 §5.1: answers that carry tokens, or tell about them, are nobody's to keep. */
export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** Single-page applications call these from their own origin, with a token or a code but never with our cookie. */
export const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'www-authenticate, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset',
};

/** Leads a browser on with a GET, whatever it came with (RFC 9110 §15.4.4). */
export const seeOther = (call: Pick<Call, 'headers'>, location: string): Response =>
  new Response(null, { status: 303, headers: { ...call.headers, location } });

/** RFC 8707 §2: may be given more than once; in JSON it is a list then. */
export const resourceParameter = z.union([z.string(), z.array(z.string())]).optional();
export const repeatableIn =
  ({ options }: { options: Options }) =>
  (name: string): boolean =>
    name === 'resource' && options.get('OAuth2OpenIDConnect');
