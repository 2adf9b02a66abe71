/** Answers of the API are data: no script, no frame, no guessing of types. */
const apiHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/**
 * Mantine sets style attributes, so styles may be inline; of scripts only the one that the page begins with, named by its hash.
 * Logos of applications come from anywhere.
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

/** RFC 9111 §3: a cache may keep what says nothing about it, for whoever asks next, whatever cookie they send. Routes say otherwise. */
const unkept = { ...apiHeaders, 'cache-control': 'no-store' };

const transport = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' };

/** Programs, not browsers, read the relay's answers; each header costs every request. */
const relayHeaders = { 'x-content-type-options': 'nosniff' };

export interface HeaderSets {
  api: Record<string, string>;
  relay: Record<string, string>;
  page: Record<string, string>;
}

export const headerSets = (https: boolean): HeaderSets => ({
  api: https ? { ...unkept, ...transport } : unkept,
  relay: https ? { ...relayHeaders, ...transport } : relayHeaders,
  page: https ? { ...pageHeaders, ...transport } : pageHeaders,
});
