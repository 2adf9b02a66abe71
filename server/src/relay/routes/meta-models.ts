import type { KeyPrincipal } from '../../identity/principals.ts';
import type { User } from '../../identity/user.ts';
import { AppError } from '../../lib/errors.ts';
import { openEventStream, type Reshape } from '../../platform/http/event-stream.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import type { RelayDeps } from '../deps.ts';
import type { BackgroundCall, KeyCall } from '../request-context.ts';
import { untilStopped } from '../stopping.ts';
import type { StreamRenderer } from '../wire/chat/stream.ts';
import type { Answer, Conversation, Delta } from '../wire/conversation.ts';
import type { StoreBeforeEnd } from './store-before-end.ts';

/** On whose behalf, and under which id its own calls are found. */
export interface MetaCall {
  requestId: string;
  principal: Pick<KeyPrincipal, 'keyId' | 'models' | 'unlimited'> & { user: Pick<User, 'id' | 'group'> };
  /** The durable work that asks, if it outlives this process. */
  readonly behind?: Pick<BackgroundCall, 'calls' | 'parentRequestId'> & Partial<Pick<BackgroundCall, 'priceFactor'>>;
}

/**
 * A built-in model, which answers with the help of other models. Without `onDelta` the answer is not streamed; its
 * result is awaited before the next delta.
 */
export interface MetaModel {
  (
    call: MetaCall,
    conversation: Conversation,
    signal: AbortSignal,
    onDelta?: (delta: Delta) => unknown,
  ): Promise<Answer>;
  /** Throws what it would throw before it asks another model. */
  check?(call: MetaCall, conversation: Conversation): Promise<void>;
}
export type MetaModels = Record<string, MetaModel>;

export const metaModelOf = (metaModels: MetaModels, { model }: Conversation): MetaModel | undefined =>
  Object.hasOwn(metaModels, model) ? metaModels[model] : undefined;

/** Streams its answer once it has started: earlier failures get a status of their own. */
export async function followMeta(
  { log, stopping }: Pick<RelayDeps, 'log' | 'stopping'>,
  call: KeyCall,
  meta: MetaModel,
  conversation: Conversation,
  renderer: StreamRenderer,
  { kept, reshape }: { kept?: StoreBeforeEnd | undefined; reshape?: Reshape | undefined } = {},
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
