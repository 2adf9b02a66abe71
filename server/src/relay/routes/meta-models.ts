import { type Call, json } from '../../platform/http/route.ts';
import { openaiKind } from '../providers/openai.ts';
import { type Conversation, isObject, type Json } from '../wire/conversation.ts';
import { appErrorOf } from '../wire/errors.ts';
import { renderMessagesAnswer } from '../wire/messages/answer.ts';
import { RelayStream } from '../wire/relay-stream.ts';

/** A model that is no vendor's: it answers chat requests itself, with the models behind it. */
export type MetaModel = (call: Call<'apiKey'>, body: Json) => Promise<Response>;
export type MetaModels = Record<string, MetaModel>;

export function metaModelOf(metaModels: MetaModels, body: unknown): MetaModel | undefined {
  if (!isObject(body) || typeof body.model !== 'string') return undefined;
  return Object.hasOwn(metaModels, body.model) ? metaModels[body.model] : undefined;
}

/** Asks such a model in the chat format, as if it were an upstream, and answers in the messages format. */
export async function askInMessages(
  call: Call<'apiKey'>,
  meta: MetaModel,
  conversation: Conversation,
  given: Json,
  id: string,
): Promise<Response> {
  const target = { baseUrl: 'http://meta.invalid', credential: '', modelName: conversation.model };
  const { body } = openaiKind.toUpstream(conversation, target);
  const chat = { ...(JSON.parse(body as string) as Json), ...(given.svc_ms !== undefined && { svc_ms: given.svc_ms }) };
  const response = await meta(call, chat);
  if (!conversation.stream) {
    const answer = await response.json();
    const rendered = renderMessagesAnswer(openaiKind.fromUpstream(answer), { model: conversation.model, id });
    const tells = isObject(answer) && answer.svc_ms_meta ? { svc_ms_meta: answer.svc_ms_meta } : {};
    return json(call, { ...rendered, ...tells });
  }
  return new Response(convert(response, call, conversation, id), { headers: response.headers });
}

function convert(response: Response, call: Call<'apiKey'>, conversation: Conversation, id: string): ReadableStream {
  const relay = new RelayStream({
    client: 'messages',
    upstream: 'chat',
    decode: openaiKind.decoder(),
    endsExplicitly: true,
    model: conversation.model,
    id,
    created: 0,
    requestId: call.requestId,
    includeUsage: false,
  });
  const convertOne = (chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) => {
    const out = relay.push(chunk);
    if (out) controller.enqueue(out);
    if (!relay.error) return;
    controller.enqueue(relay.fail(appErrorOf(relay.error)));
    controller.terminate();
  };
  return response.body!.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: convertOne,
      flush: (controller) => {
        const { tail } = relay.end();
        if (tail) controller.enqueue(tail);
      },
    }),
  );
}
