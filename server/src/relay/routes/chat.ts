import { z } from '@hono/zod-openapi';
import { randomString } from '../../lib/ids.ts';
import { parseJson, readBody } from '../../platform/http/body.ts';
import { toAppError } from '../../platform/http/mount.ts';
import { defineRoute, json, jsonText, type Route } from '../../platform/http/route.ts';
import { parseOverride } from '../../routing/override.ts';
import { answerStream } from '../answer-stream.ts';
import { complete } from '../complete.ts';
import type { RelayDeps } from '../deps.ts';
import { errandOf } from '../errand.ts';
import { openStream } from '../stream.ts';
import { renamedChatText, renderChatAnswer } from '../wire/chat/answer.ts';
import { parseChatRequest } from '../wire/chat/request.ts';
import { chatErrorChunk } from '../wire/chat/stream.ts';
import { renderChatUsage } from '../wire/usage.ts';
import { type MetaModels, metaModelOf } from './meta-models.ts';

export const maxJsonBytes = 32 * 1024 * 1024;

/** For the reference page; the relay reads requests itself, so that what it does not know passes through. */
const requestSchema = z
  .looseObject({
    model: z.string(),
    messages: z.array(z.looseObject({ role: z.string() })),
    stream: z.boolean().optional(),
    max_tokens: z.number().int().optional(),
    temperature: z.number().min(0).max(2).optional(),
    top_p: z.number().min(0).max(1).optional(),
    frequency_penalty: z.number().min(-2).max(2).optional(),
    presence_penalty: z.number().min(-2).max(2).optional(),
    stop: z.union([z.string(), z.array(z.string())]).optional(),
    tools: z.array(z.looseObject({})).optional(),
    tool_choice: z.union([z.string(), z.looseObject({})]).optional(),
    response_format: z.looseObject({ type: z.string() }).optional(),
    seed: z.number().int().optional(),
    svc_ms: z.looseObject({}).optional(),
    provider: z.looseObject({}).optional(),
  })
  .openapi('ChatCompletionRequest');

const answerSchema = z
  .looseObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.number().int(),
    model: z.string(),
    choices: z.array(z.looseObject({ index: z.number().int(), finish_reason: z.string().nullable() })),
    usage: z
      .looseObject({ prompt_tokens: z.number(), completion_tokens: z.number(), total_tokens: z.number() })
      .optional(),
  })
  .openapi('ChatCompletion');

const newId = (): string => `chatcmpl-${randomString(24)}`;

export function chatRoutes(deps: RelayDeps, metaModels: MetaModels): Route[] {
  const endpoint = '/v1/chat/completions';
  return [
    defineRoute({
      method: 'post',
      path: endpoint,
      summary: 'Chat completion, whole or streamed',
      tag: 'Relay',
      auth: 'apiKey',
      limit: { option: 'RateLimitV1', by: 'principal' },
      errors: 'openai',
      bodyAs: 'raw',
      body: requestSchema,
      answers: { 200: answerSchema },
      handle: async (call) => {
        const body = parseJson(await readBody(call.request, maxJsonBytes));
        const meta = metaModelOf(metaModels, body);
        if (meta) return meta(call, body as Record<string, unknown>);
        const conversation = parseChatRequest(body);
        const override = parseOverride((body as Record<string, unknown>).provider);
        const errand = errandOf(call, endpoint, override);
        const { model } = conversation;
        const created = Math.floor(deps.clock.nowMs() / 1000);
        if (conversation.stream) {
          const id = newId();
          const opening = openStream(deps, errand, conversation, { client: 'chat', answerId: id });
          return answerStream(deps, call, opening, (thrown) =>
            chatErrorChunk(toAppError(thrown), { model, id, created }),
          );
        }
        const { answer, text, candidate, cost, usage } = await complete(deps, errand, conversation);
        call.headers['x-svc-provider'] = candidate.channel.provider;
        call.headers['x-svc-cost'] = `${cost}`;
        const same = answer.source?.format === 'chat' ? renamedChatText(text, answer.source.body, model) : null;
        if (same !== null) return jsonText(call, same);
        const rendered = renderChatAnswer(answer, { model, id: newId(), created });
        // What the upstream did not count was counted here, and is what was charged.
        rendered.usage ??= renderChatUsage(usage);
        return json(call, rendered);
      },
    }),
  ];
}
