import { type AppError, isUpstreams } from '../../lib/errors.ts';
import { isObject } from '../../lib/is-object.ts';
import type { Log } from '../log.ts';

/** Of an upstream's failure a line is enough: a stack would only show where its answer was read. */
export function logError(log: Pick<Log, 'warn' | 'error'>, about: { requestId: string }, error: AppError): void {
  const { code, detail, message, status, extras } = error;
  if (extras.logged) return;
  if (isUpstreams(error))
    log.warn({ ...about, code, ...(detail !== undefined && { reason: reasonOf(detail) }) }, message);
  else if (status >= 500) log.error({ ...about, code, error: detail ?? error }, message);
  else if (detail !== undefined) log.warn({ ...about, code, error: detail }, message);
}

const reasonOf = (detail: unknown): string =>
  isObject(detail) && typeof detail.message === 'string' ? detail.message : String(detail);
