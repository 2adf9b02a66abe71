import type { Failure, UpstreamWords } from '../billing/failures.ts';
import { toAppError } from '../platform/http/to-app-error.ts';
import type { Attempt } from '../routing/plan.ts';
import type { RelayDeps, RequestContext } from './deps.ts';
import { DispatchFault } from './dispatch.ts';
import { redactCredential } from './redact-credential.ts';
import { UpstreamFault } from './wire/conversation.ts';

/**
 * What an upstream said, or how the call to it failed; undefined for faults that are not its own. The credential is
 * redacted, since some vendors repeat it.
 */
export function wordsOf({ candidate: { channel } }: Attempt, error: unknown): UpstreamWords | undefined {
  if (!(error instanceof UpstreamFault || error instanceof DispatchFault)) return undefined;
  const { provider, id: channelId, credential } = channel;
  const message = redactCredential(error.message, credential);
  return { provider, channelId, message, ...(error instanceof UpstreamFault && { status: error.error.status }) };
}

/** Records the failed request: the usage log has only answered ones. */
export function noteFailure(
  deps: RelayDeps,
  context: RequestContext,
  modelId: string,
  thrown: unknown,
  durationMs: number,
  upstream?: UpstreamWords,
): void {
  if (!deps.failures) return;
  const { requestId, caller, endpoint, parentRequestId } = context;
  const { status, code, message } = toAppError(thrown);
  const { userId, keyId } = caller;
  const failure: Failure = {
    ...{ requestId, userId, keyId, modelId, endpoint, parentRequestId },
    ...{ status, code, message, upstream, durationMs },
  };
  if (context.failed) context.failed(failure);
  else deps.failures.note(failure);
}
