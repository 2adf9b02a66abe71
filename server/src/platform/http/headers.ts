/** API answers are data: no scripts, no frames, no type sniffing. */
const apiHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/**
 * Mantine sets style attributes, so inline styles are allowed; the only inline script is the page's first one, by its
 * hash. Logos of applications may come from any host.
 */
export const pagePolicy = (scriptHash?: string): string =>
  [
    "default-src 'self'",
    scriptHash ? `script-src 'self' '${scriptHash}'` : "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' https: data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "font-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const pageHeaders = {
  ...apiHeaders,
  'content-security-policy': pagePolicy(),
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

/**
 * RFC 9111 §3: without a directive, a shared cache may store an answer and serve it to other users. Routes may override
 * this.
 */
const unkept = { ...apiHeaders, 'cache-control': 'no-store' };

const transport = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' };

/** The relay's clients are programs, not browsers; every header costs each request. */
const relayHeaders = { 'x-content-type-options': 'nosniff' };

/** Most clients send their key in a header that caches do not know: they lack even the protection of Authorization. */
const relayReadHeaders = { ...relayHeaders, 'cache-control': 'no-store' };

export interface HeaderSets {
  api: Record<string, string>;
  relay: Record<string, string>;
  /** Of the same routes, for reads: caches do not store answers to other methods on their own. */
  relayRead: Record<string, string>;
  page: Record<string, string>;
}

export const headerSets = (https: boolean): HeaderSets => ({
  api: https ? { ...unkept, ...transport } : unkept,
  relay: https ? { ...relayHeaders, ...transport } : relayHeaders,
  relayRead: https ? { ...relayReadHeaders, ...transport } : relayReadHeaders,
  page: https ? { ...pageHeaders, ...transport } : pageHeaders,
});
