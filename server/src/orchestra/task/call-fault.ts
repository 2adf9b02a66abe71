import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { isTransient } from '../../platform/durable/errors.ts';

/** The cause of a failed model call. Only for the first two can another model help. */
export type CallFault = 'unanswered' | 'rejected' | 'quota' | 'caller' | 'request' | 'database' | 'internal';

const faults: Partial<Record<ErrorCode, CallFault>> = {
  provider_error: 'unanswered',
  no_available_provider: 'unanswered',
  no_eligible_provider: 'unanswered',
  service_not_initialized: 'unanswered',
  capacity_exhausted: 'unanswered',
  rate_limit_exceeded: 'unanswered',
  model_not_found: 'unanswered',
  timeout: 'unanswered',
  insufficient_user_quota: 'quota',
  insufficient_key_quota: 'quota',
  budget_exceeded: 'quota',
  insufficient_credits: 'quota',
  invalid_api_key: 'caller',
  forbidden: 'caller',
  ip_not_allowed: 'caller',
  invalid_value: 'request',
  missing_required_parameter: 'request',
  unavailable: 'database',
};

export function callFault(error: unknown): CallFault {
  if (!(error instanceof AppError)) return isTransient(error) ? 'database' : 'internal';
  return faults[error.code] ?? (error.status < 500 ? 'rejected' : 'internal');
}
