import { AppError } from '../../lib/errors.ts';
import { isStorageFailure } from '../blobs/errors.ts';
import { isOrphan, isTransient, isUnavailable } from '../durable/errors.ts';

/**
 * Unknown errors become a bare 500, except for unavailable databases or files, what changed at the same moment, and
 * input nested too deeply.
 */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof RangeError && /call stack/i.test(thrown.message))
    return new AppError('invalid_value', 'The request is nested too deeply.');
  if (isUnavailable(thrown))
    return new AppError('unavailable', 'The database cannot be reached right now. Try again in a moment.', {}, thrown);
  if (isStorageFailure(thrown))
    return new AppError('unavailable', 'Files cannot be saved or read right now. Try again in a moment.', {}, thrown);
  if (isTransient(thrown))
    return new AppError('conflict', 'Something else changed at the same moment. Try again.', {}, thrown);
  if (isOrphan(thrown))
    return new AppError(
      'conflict',
      'What this belongs to was deleted at the same moment. Reload and try again.',
      {},
      thrown,
    );
  return new AppError('internal_error', 'Internal error. Quote the request id when reporting it.', {}, thrown);
}
