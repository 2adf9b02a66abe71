import { type ErrorFormat, errorShapes } from '../../lib/error-shapes.ts';
import type { AppError } from '../../lib/errors.ts';

export function renderError(
  format: ErrorFormat,
  error: AppError,
  requestId: string,
  headers: Record<string, string>,
): Response {
  return Response.json(errorShapes[format](error, requestId), {
    status: error.status,
    headers: { ...headers, ...ownHeaders(format, requestId), ...error.extras.headers },
  });
}

/** Anthropic's libraries read the id under this name; SCIM has its own media type (RFC 7644 §3.1). */
function ownHeaders(format: ErrorFormat, requestId: string): Record<string, string> {
  if (format === 'anthropic') return { 'request-id': requestId };
  return format === 'scim' ? { 'content-type': 'application/scim+json' } : {};
}

/** The error format of an unmatched address, by its path and the client's headers. */
export function formatOfPath(path: string, headers: Headers): ErrorFormat {
  if (path.startsWith('/v1/videos')) return 'video';
  if (/^\/v1\/(messages|anthropic\/)/.test(path)) return 'anthropic';
  if (/^(\/upload)?\/v1beta(\/|$)|^\/v1\/models\/.+:\w+$/s.test(path)) return 'google';
  if (path.startsWith('/v2/')) return 'cohere';
  if (/^\/(v1|openai)(\/|$)/.test(path)) return headers.has('anthropic-version') ? 'anthropic' : 'openai';
  if (/^\/(api\/oauth2|\.well-known\/oauth-)/.test(path)) return 'oauth';
  if (/^\/mcp(\/|$)/.test(path)) return 'mcp';
  if (/^\/scim(\/|$)/.test(path)) return 'scim';
  return 'management';
}
