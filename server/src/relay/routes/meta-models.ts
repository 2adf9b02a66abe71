import type { KeyPrincipal } from '../../identity/principals.ts';
import type { User } from '../../identity/user.ts';
import { AppError } from '../../lib/errors.ts';
import { openEventStream, type Reshape } from '../../platform/http/event-stream.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import type { RelayDeps } from '../deps.ts';
import type { Behind, KeyCall } from '../request-context.ts';
import { untilStopped } from '../stopping.ts';
import type { StreamRenderer } from '../wire/chat/stream.ts';
import type { Answer, Conversation, Delta } from '../wire/conversation.ts';
import type { KeptFirst } from './kept-first.ts';

/** On whose behalf, and what its own calls are found by. */
export interface MetaCall {
  requestId: string;
  principal: Pick<KeyPrincipal, 'keyId' | 'models' | 'unlimited'> & { user: Pick<User, 'id' | 'group'> };
  /** The work that asks, where it outlives this process. */
  readonly behind?: Pick<Behind, 'calls' | 'parentRequestId'> & Partial<Pick<Behind, 'priceFactor'>>;
}

/**
 * A model that is no vendor's: it answers itself, with the models behind it. Without `onDelta` it is not followed; what that
 * gives is waited for before there is more.
 */
export type MetaModel = (
  call: MetaCall,
  conversation: Conversation,
  signal: AbortSignal,
  onDelta?: (delta: Delta) => unknown,
) => Promise<Answer>;
export type MetaModels = Record<string, MetaModel>;

export const metaModelOf = (metaModels: MetaModels, { model }: Conversation): MetaModel | undefined =>
  Object.hasOwn(metaModels, model) ? metaModels[model] : undefined;

/** Its answer as it comes, once it has begun: what is wrong before that has a status of its own. */
export async function followMeta(
  { log, stopping }: Pick<RelayDeps, 'log' | 'stopping'>,
  call: KeyCall,
  meta: MetaModel,
  conversation: Conversation,
  renderer: StreamRenderer,
  { kept, reshape }: { kept?: KeptFirst | undefined; reshape?: Reshape | undefined } = {},
): Promise<Response> {
  const { response, write: writeOut, left, end } = openEventStream(call, reshape);
  const write = kept?.through(writeOut) ?? writeOut;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const put = (text: string): unknown => (text === '' ? undefined : write(text));
  const work = untilStopped({ stopping }, left, (signal) =>
    meta(call, conversation, signal, (delta) => {
      begin();
      return put(renderer.push(delta));
    }),
  );
  await Promise.race([begun, work]);
  const fail = (thrown: unknown): void => {
    if (!(thrown instanceof AppError))
      log.warn({ requestId: call.requestId, error: thrown }, 'a streamed answer failed');
    put(renderer.fail(toAppError(thrown)));
  };
  void work
    .then(() => {}, fail)
    .then(() => kept?.settled)
    .finally(end);
  return response;
}
