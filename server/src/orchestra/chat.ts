import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { randomString } from '../lib/ids.ts';
import { type EventStream, newEventStream } from './event-stream.ts';
import type { ChatMessage } from './messages.ts';
import type { Caller, Deps } from './ports.ts';
import { respond, type TurnAnswer } from './respond.ts';
import type { Meta } from './turn/meta.ts';

/** The model's public name. */
export const orchestraModel = 'svc/svc-ms';

export interface ChatCall {
  caller: Caller;
  /** The chat request as parsed JSON. */
  body: Record<string, unknown>;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
  /** Headers for the answer. */
  headers: Record<string, string>;
}

/** Answers a chat request to `svc/svc-ms`. Throws an AppError for whatever is wrong before the stream begins. */
export async function chat(deps: Deps, call: ChatCall): Promise<Response> {
  const { allowedModels = [] } = call.caller;
  if (allowedModels.length > 0 && !allowedModels.includes(orchestraModel)) {
    throw new AppError('model_not_allowed', `This key may not use the model ${orchestraModel}`, { param: 'model' });
  }
  return call.body.stream === true ? streamed(deps, call) : whole(deps, call);
}

async function whole(deps: Deps, { caller, body, signal, headers }: ChatCall): Promise<Response> {
  const answer = await respond(deps, { caller, body, signal });
  const { message, finishReason: finish_reason, usage, meta } = answer;
  const choices = [{ index: 0, message, finish_reason, logprobs: null }];
  const envelope = { ...envelopeOf(deps), object: 'chat.completion', choices, usage, svc_ms_meta: meta };
  return Response.json(envelope, { headers });
}

const envelopeOf = (deps: Deps) => ({
  id: `chatcmpl-${randomString(24)}`,
  created: nowSeconds(deps.clock),
  model: orchestraModel,
});

type Delta = Partial<ChatMessage> & { reasoning_content?: string };

async function streamed(deps: Deps, { caller, body, signal, headers }: ChatCall): Promise<Response> {
  const left = new AbortController();
  const events = newEventStream(() => left.abort(new Error('the client left')));
  const envelope = { ...envelopeOf(deps), object: 'chat.completion.chunk' };
  const send = (delta: object, meta?: Meta, finish_reason: string | null = null) =>
    events.send({ ...envelope, choices: [{ index: 0, delta, finish_reason }], ...(meta && { svc_ms_meta: meta }) });
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const out = {
    streaming: true,
    opened() {
      send({ role: 'assistant', content: '' } satisfies Delta);
      open();
    },
    meta: (meta: Meta) => send({}, meta),
    reasoning: (text: string) => send({ reasoning_content: text } satisfies Delta),
    content: (text: string) => send({ content: text } satisfies Delta),
  };
  const work = respond(deps, { caller, body, signal: AbortSignal.any([signal, left.signal]) }, out);
  // Until the turn is open a fault is an answer with its own status.
  await Promise.race([opened, work]);
  void work.then(
    (answer) => finish(events, envelope, send, answer, wantsUsage(body)),
    (error) => fail(events, envelope, error, deps),
  );
  return new Response(events.stream, {
    headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
  });
}

const wantsUsage = ({ stream_options }: ChatCall['body']): boolean =>
  (stream_options as { include_usage?: unknown } | null | undefined)?.include_usage === true;

function finish(
  events: EventStream,
  envelope: object,
  send: (delta: object, meta?: Meta, finish?: string) => void,
  { message, finishReason, usage, meta }: TurnAnswer,
  showUsage: boolean,
): void {
  const calls = message.tool_calls?.map((call, index) => ({ index, ...call }));
  if (calls) send({ tool_calls: calls });
  send({}, meta, finishReason);
  if (showUsage) events.send({ ...envelope, choices: [], usage });
  events.end('[DONE]');
}

/** One chunk with the error, then the end, without `[DONE]` (contract §6). */
function fail(events: EventStream, envelope: object, error: unknown, deps: Deps): void {
  const known = error instanceof AppError;
  if (!known) deps.warn('a streamed turn failed', error);
  events.send({
    ...envelope,
    choices: [{ index: 0, delta: {}, finish_reason: 'error' }],
    error: known
      ? {
          message: error.message,
          type: error.extras.type ?? typeOf(error),
          param: error.extras.param ?? null,
          code: error.code,
        }
      : { message: 'Internal error', type: 'server_error', param: null, code: 'internal_error' },
  });
  events.end();
}

const typeOf = ({ status }: AppError): string => {
  if (status === 429) return 'rate_limit_error';
  if (status >= 500) return status === 502 || status === 504 ? 'upstream_error' : 'server_error';
  return 'invalid_request_error';
};
