import type { AppError, ErrorCode } from '../../lib/errors.ts';
import type { ErrorFormat } from './route.ts';

type Body = (error: AppError, requestId: string) => unknown;

/** OpenAI's `type` beside each code; what is not listed follows from the status. */
const relayTypes: Partial<Record<ErrorCode, string>> = {
  insufficient_user_quota: 'insufficient_quota',
  insufficient_key_quota: 'insufficient_quota',
  provider_error: 'upstream_error',
  timeout: 'upstream_error',
};

const relayTypeOf = (error: AppError): string => {
  if (error.extras.type) return error.extras.type;
  const listed = relayTypes[error.code];
  if (listed) return listed;
  if (error.status === 403) return 'permission_error';
  if (error.status === 429) return 'rate_limit_error';
  return error.status >= 500 ? 'server_error' : 'invalid_request_error';
};

/** Anthropic names its errors by status. */
const messagesTypes: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  529: 'overloaded_error',
};

/** Codes that exist twice inside, because their statuses differ, but have one name outside (contract §5). */
const publicCode = (code: ErrorCode): string => (code === 'no_eligible_provider' ? 'no_available_provider' : code);

/** Names in the table of RFC 6749 §5.2 and RFC 6750 §3.1; other faults take the nearest. */
const oauthCodes = new Set<ErrorCode>([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unsupported_grant_type',
  'unsupported_response_type',
  'invalid_scope',
  'access_denied',
  'invalid_token',
  'insufficient_scope',
  'rate_limit_exceeded',
  'not_found',
]);
const oauthCode = (error: AppError): string => {
  if (oauthCodes.has(error.code)) return error.code;
  if (error.status >= 500) return error.status === 503 ? 'temporarily_unavailable' : 'server_error';
  // The user, not a token, is missing (OpenID Connect Core §3.1.2.6).
  if (error.code === 'not_logged_in') return 'login_required';
  if (error.status === 401) return 'invalid_token';
  return error.status === 403 ? 'access_denied' : 'invalid_request';
};

/** Messages of the video endpoints that are fixed by their status, not by what went wrong in detail (spec 001 §7). */
const videoMessages: Partial<Record<ErrorCode, string>> = {
  invalid_api_key: 'Missing Authentication header',
  not_logged_in: 'Missing Authentication header',
  invalid_json: 'Invalid request parameters',
  not_found: 'Resource not found',
  model_not_found: 'Resource not found',
  rate_limit_exceeded: 'Rate limit exceeded',
  internal_error: 'Internal Server Error',
};

const bodies: Record<ErrorFormat, Body> = {
  management: (error) => ({ success: false, message: error.message, ...error.extras.body }),
  oauth: (error) => ({
    success: false,
    message: error.message,
    error: oauthCode(error),
    error_description: error.message,
    ...error.extras.body,
  }),
  openai: (error) => ({
    error: {
      message: error.message,
      type: relayTypeOf(error),
      param: error.extras.param ?? null,
      code: publicCode(error.code),
    },
  }),
  anthropic: (error, requestId) => ({
    type: 'error',
    error: { type: messagesTypes[error.status] ?? 'api_error', message: error.message },
    request_id: requestId,
  }),
  video: (error) => ({ error: { code: error.status, message: videoMessages[error.code] ?? error.message } }),
};

export function renderError(
  format: ErrorFormat,
  error: AppError,
  requestId: string,
  headers: Record<string, string>,
): Response {
  return Response.json(bodies[format](error, requestId), {
    status: error.status,
    headers: { ...headers, ...error.extras.headers },
  });
}

/** What an unmatched address answers in, by where it lies. */
export function formatOfPath(path: string): ErrorFormat {
  if (path.startsWith('/v1/videos')) return 'video';
  if (path.startsWith('/v1/messages')) return 'anthropic';
  if (path.startsWith('/v1/')) return 'openai';
  if (path.startsWith('/api/oauth2')) return 'oauth';
  return 'management';
}
