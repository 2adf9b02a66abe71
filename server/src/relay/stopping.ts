import { AppError } from '../lib/errors.ts';
import type { RelayDeps, RequestContext } from './deps.ts';

/** What whoever still waits hears when the time for finishing is over. */
export const stoppingError = (): AppError =>
  new AppError('unavailable', 'The service is stopping and could not finish this answer. Ask again.');

/** Whether an answer has to end now. What runs by itself has a stop of its own, and is gone on with by another process. */
export const isStopping = ({ stopping }: Pick<RelayDeps, 'stopping'>, { direct }: RequestContext): boolean =>
  direct === true && stopping?.aborted === true;

/** Work of many calls, which ends when its client leaves; at a stop it ends the same way, with the reason for the client. */
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
