/** Every code the service can answer with, and the HTTP status that goes with it. */
export const errorTable = {
  // Relay.
  invalid_json: 400,
  missing_required_parameter: 400,
  invalid_value: 400,
  unsupported_parameter: 400,
  context_length_exceeded: 400,
  invalid_api_key: 401,
  insufficient_user_quota: 403,
  insufficient_key_quota: 403,
  budget_exceeded: 403,
  storage_full: 403,
  model_not_allowed: 403,
  ip_not_allowed: 403,
  model_not_found: 404,
  no_eligible_provider: 404,
  request_too_large: 413,
  rate_limit_exceeded: 429,
  capacity_exhausted: 429,
  too_many_runs: 429,
  provider_error: 502,
  no_available_provider: 503,
  service_not_initialized: 503,
  timeout: 504,
  // A refusal of the upstream caused by the caller; its status is in `status`.
  upstream_refused: 400,
  // Video.
  insufficient_credits: 402,
  // OAuth (RFC 6749 §5.2, RFC 6750 §3.1).
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  unauthorized_client: 400,
  access_denied: 403,
  invalid_token: 401,
  insufficient_scope: 403,
  // RFC 8707 §2, RFC 8693 §2.2.2.
  invalid_target: 400,
  // RFC 7591 §3.2.2.
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  // OpenID Connect Core §3.1.2.6.
  consent_required: 403,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  registration_not_supported: 400,
  // RFC 9101 §7, RFC 8628 §3.5, RFC 9449 §12.2.
  invalid_request_uri: 400,
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
  invalid_dpop_proof: 400,
  // General.
  not_logged_in: 401,
  wrong_credentials: 401,
  forbidden: 403,
  // The web app asks for the second factor and repeats the request.
  step_up_required: 403,
  second_factor_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  idempotency_key_reused: 409,
  idempotency_key_in_use: 409,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  upgrade_required: 426,
  internal_error: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorTable;

/** An upstream's failure, or that none can be asked: nothing to mend in this service. */
const upstreamCodes: ReadonlySet<ErrorCode> = new Set(['provider_error', 'no_available_provider', 'timeout']);
export const isUpstreams = ({ code }: AppError): boolean => upstreamCodes.has(code);

export interface ErrorExtras {
  /** The request field at fault. */
  param?: string;
  /** Overrides the table, for errors that carry an upstream's own status. */
  status?: number;
  headers?: Record<string, string>;
  /** Members added to the top level of a management or OAuth body, such as `redirect_url`. */
  body?: Record<string, unknown>;
  /** Error `type` of relay bodies, if the code's default does not fit. */
  type?: string;
  /** The upstream's own documented code, shown instead of ours. */
  vendorCode?: string;
  /** What led to it is in the log already. */
  logged?: true;
  /** Anthropic's `error.details`, which its clients act on. */
  details?: Record<string, unknown>;
}

/** The single error type: a code from the table, a message for the caller, and a detail for the log only. */
export class AppError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extras: ErrorExtras = {},
    readonly detail?: unknown,
  ) {
    super(message);
    this.name = 'AppError';
  }

  get status(): number {
    return this.extras.status ?? errorTable[this.code];
  }
}
