import { AbandonedWork } from '../../lib/abandoned-work.ts';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { callFault } from '../task/call-fault.ts';
import type { PauseReason } from './events.ts';

/** Thrown to stop the run so that it can be resumed later. */
export class Pause extends Error {
  constructor(readonly reason: PauseReason) {
    super(`paused: ${reason}`);
  }
}

/**
 * Thrown when this process stops working on the run without changing its row: another process has taken it, this one is
 * shutting down, or the run has ended.
 */
export class StopWork extends AbandonedWork {
  constructor(readonly why: 'lost' | 'stopping' | 'ended') {
    super(`left: ${why}`, why !== 'ended');
  }
}

/** Errors that block a run until its owner resolves them. */
const reasons: Partial<Record<ErrorCode, PauseReason>> = {
  insufficient_user_quota: 'insufficient_quota',
  insufficient_key_quota: 'insufficient_quota',
  budget_exceeded: 'insufficient_quota',
  insufficient_credits: 'insufficient_quota',
  invalid_api_key: 'key_revoked',
  forbidden: 'user_disabled',
  model_not_allowed: 'model_not_allowed',
};

/** Maps an error to the pause it causes; other errors are returned unchanged. */
export function pauseFor(error: unknown): unknown {
  const reason = error instanceof AppError ? reasons[error.code] : undefined;
  return reason ? new Pause(reason) : error;
}

/** Whether a vendor refuses the request itself: waiting does not help, and the run must do without the answer. */
export const isRefused = (error: unknown): boolean => callFault(error) === 'rejected' && pauseFor(error) === error;

/** Whether another model may succeed where this error occurred. */
export const mayRetry = (error: unknown): boolean => ['unanswered', 'rejected'].includes(callFault(error));
