import { z } from '@hono/zod-openapi';
import { randomString } from '../../lib/ids.ts';
import { parseJson, readBody } from '../../platform/http/body.ts';
import { toAppError } from '../../platform/http/mount.ts';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import { parseOverride } from '../../routing/override.ts';
import { answerStream } from '../answer-stream.ts';
import { complete } from '../complete.ts';
import type { RelayDeps } from '../deps.ts';
import { errandOf } from '../errand.ts';
import { openStream } from '../stream.ts';
import { renderMessagesAnswer } from '../wire/messages/answer.ts';
import { parseMessagesRequest } from '../wire/messages/request.ts';
import { messagesErrorEvent } from '../wire/messages/stream.ts';
import { maxJsonBytes } from './chat.ts';
import { askInMessages, type MetaModels, metaModelOf } from './meta-models.ts';

const requestSchema = z
  .looseObject({
    model: z.string(),
    max_tokens: z.number().int().min(1),
    messages: z.array(z.looseObject({ role: z.string() })),
    system: z.union([z.string(), z.array(z.looseObject({}))]).optional(),
    stream: z.boolean().optional(),
    tools: z.array(z.looseObject({})).optional(),
    thinking: z.looseObject({ type: z.string() }).optional(),
  })
  .openapi('MessagesRequest');

const answerSchema = z
  .looseObject({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(z.looseObject({ type: z.string() })),
    stop_reason: z.string().nullable(),
    usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }),
  })
  .openapi('Message');

export function messagesRoutes(deps: RelayDeps, metaModels: MetaModels): Route[] {
  const endpoint = '/v1/messages';
  return [
    defineRoute({
      method: 'post',
      path: endpoint,
      summary: 'Message in the Anthropic format, whole or streamed',
      tag: 'Relay',
      auth: 'apiKey',
      limit: { option: 'RateLimitV1', by: 'principal' },
      errors: 'anthropic',
      bodyAs: 'raw',
      body: requestSchema,
      answers: { 200: answerSchema },
      handle: async (call) => {
        // Anthropic's name of the header, which its libraries read.
        call.headers['request-id'] = call.requestId;
        const body = parseJson(await readBody(call.request, maxJsonBytes));
        const conversation = parseMessagesRequest(body);
        const id = `msg_${randomString(24)}`;
        const meta = metaModelOf(metaModels, body);
        if (meta) return askInMessages(call, meta, conversation, body as Record<string, unknown>, id);
        const override = parseOverride((body as Record<string, unknown>).provider);
        const errand = errandOf(call, endpoint, override);
        if (conversation.stream) {
          const opening = openStream(deps, errand, conversation, { client: 'messages', answerId: id });
          return answerStream(deps, call, opening, (thrown) => messagesErrorEvent(toAppError(thrown), call.requestId));
        }
        const { answer, candidate, cost, usage } = await complete(deps, errand, conversation);
        call.headers['x-svc-provider'] = candidate.channel.provider;
        call.headers['x-svc-cost'] = `${cost}`;
        return json(
          call,
          renderMessagesAnswer({ ...answer, usage: answer.usage ?? usage }, { model: conversation.model, id }),
        );
      },
    }),
  ];
}
