import { logError } from '../../platform/http/log-error.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import type { Log } from '../../platform/log.ts';
import { RpcError, Unavailable } from './endpoint.ts';

export function toRpcError(thrown: unknown, requestId: string, log: Log): RpcError {
  if (thrown instanceof RpcError) return thrown;
  const error = toAppError(thrown);
  if (error.status >= 500) {
    logError(log, { requestId }, error);
    if (error.code === 'unavailable') return new Unavailable(error.message);
    return new RpcError(-32_603, error.message);
  }
  return new RpcError(error.status === 400 || error.status === 404 ? -32_602 : -32_000, error.message);
}
