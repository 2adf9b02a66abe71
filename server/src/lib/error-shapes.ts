import type { AppError, ErrorCode } from './errors.ts';

/** The wire formats of errors. */
export type ErrorFormat =
  | 'management'
  | 'oauth'
  | 'openai'
  | 'anthropic'
  | 'google'
  | 'cohere'
  | 'video'
  | 'mcp'
  | 'scim';

type Json = Record<string, unknown>;

const relayed: ReadonlySet<ErrorFormat> = new Set(['openai', 'anthropic', 'google', 'cohere', 'video']);
/** Whether it is a relay format, whose clients read extra headers. */
export const isRelayFormat = (format: ErrorFormat): boolean => relayed.has(format);

/** Codes that are distinct internally, because their statuses differ, but share one public name. */
const publicCode = (code: ErrorCode): string => (code === 'no_eligible_provider' ? 'no_available_provider' : code);

/** OpenAI's `type` for each code; the default follows from the status. */
const openaiTypes: Partial<Record<ErrorCode, string>> = {
  insufficient_user_quota: 'insufficient_quota',
  insufficient_key_quota: 'insufficient_quota',
  budget_exceeded: 'insufficient_quota',
  provider_error: 'upstream_error',
  timeout: 'upstream_error',
};

const openaiType = ({ code, status, extras }: AppError): string => {
  const listed = extras.type ?? openaiTypes[code];
  if (listed) return listed;
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
};

/** The `error` member of a body, and of the chunk that ends a stream. */
export const openaiError = (error: AppError): Json => ({
  message: error.message,
  type: openaiType(error),
  param: error.extras.param ?? null,
  code: error.extras.vendorCode ?? publicCode(error.code),
});

/** Anthropic's error types by status. */
const anthropicTypes: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const anthropicType = ({ status }: AppError): string =>
  anthropicTypes[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');

/** Google's status names (google.rpc.Code) by status. */
const googleStatuses: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  416: 'OUT_OF_RANGE',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const googleStatus = ({ status }: AppError): string =>
  googleStatuses[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT');

/** Machine-readable details: our code as the reason, and the field at fault. */
const googleDetails = (error: AppError): Json[] => {
  const { message, extras } = error;
  const reason = (extras.vendorCode ?? publicCode(error.code)).toUpperCase();
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'svc' };
  if (extras.param === undefined) return [info];
  const fieldViolations = [{ field: extras.param, description: message }];
  return [info, { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }];
};

/** Codes of RFC 6749 §5.2, RFC 6750 §3.1 and their extensions; other errors map to the nearest. */
const oauthCodes = new Set<ErrorCode>([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unsupported_grant_type',
  'unsupported_response_type',
  'invalid_scope',
  'unauthorized_client',
  'invalid_target',
  'access_denied',
  'invalid_token',
  'insufficient_scope',
  'invalid_target',
  'invalid_redirect_uri',
  'invalid_client_metadata',
  'consent_required',
  'request_not_supported',
  'request_uri_not_supported',
  'registration_not_supported',
  'invalid_request_uri',
  'authorization_pending',
  'slow_down',
  'expired_token',
  'invalid_dpop_proof',
  'rate_limit_exceeded',
  'not_found',
]);

export const oauthCode = ({ code, status }: AppError): string => {
  if (oauthCodes.has(code)) return code;
  if (status >= 500) return status === 503 ? 'temporarily_unavailable' : 'server_error';
  // The user, not a token, is missing (OpenID Connect Core §3.1.2.6).
  if (code === 'not_logged_in') return 'login_required';
  if (status === 401) return 'invalid_token';
  return status === 403 ? 'access_denied' : 'invalid_request';
};

/**
 * RFC 6749 §4.1.2.1, §5.2, RFC 6750 §3: ASCII without double quotes and backslashes, in bodies, URLs and headers alike.
 * People read `message`.
 */
export const errorDescription = (message: string): string =>
  message
    .replace(/["“”‘’]/g, "'")
    .replaceAll('\\', '/')
    .replaceAll('…', '...')
    .replace(/[^ -~]/gu, '?');

/** Messages of the video endpoints that depend on the status only. */
const videoMessages: Partial<Record<ErrorCode, string>> = {
  invalid_api_key: 'Missing Authentication header',
  not_logged_in: 'Missing Authentication header',
  invalid_json: 'Invalid request parameters',
  not_found: 'Resource not found',
  model_not_found: 'Resource not found',
  rate_limit_exceeded: 'Rate limit exceeded',
  internal_error: 'Internal Server Error',
};

/** JSON-RPC 2.0 §5.1; everything else gets the first code reserved for servers. */
const jsonRpcCode = ({ code, status }: AppError): number => {
  if (code === 'invalid_json') return -32_700;
  if (status >= 500) return -32_603;
  return status === 400 ? -32_600 : -32_000;
};

/** RFC 7644 §3.12, table 9; a thrown error may name another one. */
const scimTypes: Partial<Record<ErrorCode, string>> = {
  invalid_json: 'invalidSyntax',
  invalid_value: 'invalidValue',
  missing_required_parameter: 'invalidValue',
};

/** How an error looks in each format; a body and a stream event contain the same. */
export const errorShapes: Record<ErrorFormat, (error: AppError, requestId?: string) => Json> = {
  management: ({ message, extras }) => ({ success: false, message, ...extras.body }),
  oauth: (error) => ({
    success: false,
    message: error.message,
    error: oauthCode(error),
    error_description: errorDescription(error.message),
    ...error.extras.body,
  }),
  openai: (error) => ({ error: openaiError(error) }),
  anthropic: (error, requestId) => ({
    type: 'error',
    error: {
      type: anthropicType(error),
      message: error.message,
      ...(error.extras.details && { details: error.extras.details }),
    },
    request_id: requestId,
  }),
  google: (error) => ({
    error: {
      code: error.status,
      message: error.message,
      status: googleStatus(error),
      details: googleDetails(error),
    },
  }),
  cohere: ({ message }) => ({ message }),
  video: ({ code, status, message, extras }) => ({
    error: { code: status, message: videoMessages[code] ?? message },
    // Only our own pages are asked for it.
    ...(code === 'step_up_required' && extras.body),
  }),
  // Raised before the message was parsed, so there is no id.
  mcp: (error) => ({ jsonrpc: '2.0', id: null, error: { code: jsonRpcCode(error), message: error.message } }),
  scim: ({ code, status, message, extras }) => ({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimTypes[code] && { scimType: scimTypes[code] }),
    ...extras.body,
    detail: message,
  }),
};
