import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { LeftWork } from '../../lib/left-work.ts';
import { callFault } from '../task/call-fault.ts';
import type { PauseReason } from './events.ts';

/** The run stops here and can be gone on with. */
export class Pause extends Error {
  constructor(readonly reason: PauseReason) {
    super(`paused: ${reason}`);
  }
}

/** This process stops working on the run, and leaves its row as it is: another has it, the process stops, or it has been ended. */
export class Leave extends LeftWork {
  constructor(readonly why: 'lost' | 'stopping' | 'ended') {
    super(`left: ${why}`, why !== 'ended');
  }
}

/** What stands in the way of a run until its owner does something about it. */
const reasons: Partial<Record<ErrorCode, PauseReason>> = {
  insufficient_user_quota: 'insufficient_quota',
  insufficient_key_quota: 'insufficient_quota',
  budget_exceeded: 'insufficient_quota',
  insufficient_credits: 'insufficient_quota',
  invalid_api_key: 'key_revoked',
  forbidden: 'user_disabled',
  model_not_allowed: 'model_not_allowed',
};

/** The pause that an error means, else the error itself. */
export function pauseFor(error: unknown): unknown {
  const reason = error instanceof AppError ? reasons[error.code] : undefined;
  return reason ? new Pause(reason) : error;
}

/** Another model may do what this error kept one from doing. */
export const mayRetry = (error: unknown): boolean => ['unanswered', 'rejected'].includes(callFault(error));
