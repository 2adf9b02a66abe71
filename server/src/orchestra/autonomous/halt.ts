import { mayPass } from '../../billing/settle.ts';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import type { PauseReason } from './events.ts';

/** The run stops here and can be gone on with. */
export class Pause extends Error {
  constructor(readonly reason: PauseReason) {
    super(`paused: ${reason}`);
  }
}

/** This process stops working on the run, and leaves its row as it is: the lease is lost, or the process stops. */
export class Leave extends Error {
  constructor(readonly why: 'lost' | 'stopping') {
    super(`left: ${why}`);
  }
}

/** What a failed model call means for the run. */
export type CallFault = 'quota' | 'unanswered' | 'refused' | 'database' | 'internal';

const quota = new Set<ErrorCode>(['insufficient_user_quota', 'insufficient_key_quota', 'insufficient_credits']);
const unanswered = new Set<ErrorCode>([
  'provider_error',
  'no_available_provider',
  'no_eligible_provider',
  'service_not_initialized',
  'capacity_exhausted',
  'rate_limit_exceeded',
  'model_not_found',
  'timeout',
]);

export function faultOf(error: unknown): CallFault {
  if (!(error instanceof AppError)) return mayPass(error) ? 'database' : 'internal';
  if (quota.has(error.code)) return 'quota';
  if (unanswered.has(error.code)) return 'unanswered';
  if (error.code === 'unavailable') return 'database';
  return error.status < 500 ? 'refused' : 'internal';
}
