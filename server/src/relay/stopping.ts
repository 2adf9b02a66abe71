import { AppError } from '../lib/errors.ts';
import type { RelayDeps, RequestContext } from './deps.ts';

/** What waiting clients are told when the grace period is over. */
export const stoppingError = (): AppError =>
  new AppError('unavailable', 'The service is shutting down and could not finish this answer. Try again.');

/** Whether an answer has to end now. Background work is stopped elsewhere, and continued by another process. */
export const isStopping = ({ stopping }: Pick<RelayDeps, 'stopping'>, { direct }: RequestContext): boolean =>
  direct === true && stopping?.aborted === true;

/**
 * Runs work that makes many calls, and aborts it when its client disconnects or, with an error for the client, at
 * shutdown.
 */
export async function untilStopped<T>(
  { stopping }: Pick<RelayDeps, 'stopping'>,
  left: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!stopping) return work(left);
  try {
    return await work(AbortSignal.any([left, stopping]));
  } catch (error) {
    throw stopping.aborted ? stoppingError() : error;
  }
}
