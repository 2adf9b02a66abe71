import { AppError } from '../../lib/errors.ts';
import type { Json, UpstreamError } from './conversation.ts';

const publicFailure = 'The provider could not answer this request.';

/** What the caller is told: the upstream's words only where the fault is the caller's (contract §5, fidelity 20, 21). */
export function appErrorOf(error: UpstreamError): AppError {
  const { kind, message, headers } = error;
  if (kind === 'caller') {
    const extras = {
      status: error.status,
      headers,
      type: 'invalid_request_error',
      ...(error.param !== undefined && { param: error.param }),
    };
    if (error.code === 'context_length_exceeded') {
      return new AppError('context_length_exceeded', message, { ...extras, status: 400 });
    }
    return new AppError('upstream_refused', message, extras);
  }
  if (kind === 'busy') {
    return new AppError(
      'capacity_exhausted',
      'Every provider of this model is at its limit. Try again later.',
      { headers },
      error,
    );
  }
  if (error.status === 504) return new AppError('timeout', 'The provider did not answer in time.', {}, error);
  return new AppError('provider_error', publicFailure, {}, error);
}

const chatTypes: Record<number, string> = { 429: 'rate_limit_error', 502: 'upstream_error', 504: 'upstream_error' };

const messagesTypes: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

/** The `error` member of a chat stream's error chunk. */
export function chatStreamError(error: AppError): Json {
  const type =
    error.extras.type ?? chatTypes[error.status] ?? (error.status >= 500 ? 'server_error' : 'invalid_request_error');
  return { message: error.message, type, param: error.extras.param ?? null, code: error.code };
}

/** The `error` member of a messages stream's `error` event. */
export function messagesStreamError(error: AppError): Json {
  const type = messagesTypes[error.status] ?? (error.status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type, message: error.message };
}
