import { z } from 'zod';
import { asEvents } from '../../platform/http/answers.ts';
import type { Parse } from '../../platform/http/body.ts';
import { type Call, defineRoute, type Route } from '../../platform/http/route.ts';
import type { RelayDeps } from '../deps.ts';
import { chatWithOwnFiles } from '../own-files.ts';
import { parseChatRequest } from '../wire/chat/request.ts';
import type { Sourced } from '../wire/conversation.ts';
import { parserOf } from '../wire/exact-arguments.ts';
import { parseMessagesRequest } from '../wire/messages/request.ts';
import { answer } from './answer.ts';
import { relayRoute } from './json-endpoint.ts';
import type { MetaModels } from './meta-models.ts';
import { readSoonAnswered } from './read-body.ts';

/** For the API reference; the relay parses requests itself, so that unknown fields are forwarded. */
const chatRequest = z
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
    models: z
      .array(z.string())
      .max(10)
      .optional()
      .describe('Fallback models, tried in this order if the previous one fails'),
  })
  .meta({ id: 'ChatCompletionRequest' });

const chatAnswer = z
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
  .meta({ id: 'ChatCompletion' });

const messagesRequest = z
  .looseObject({
    model: z.string(),
    max_tokens: z.number().int().min(1),
    messages: z.array(z.looseObject({ role: z.string() })),
    system: z.union([z.string(), z.array(z.looseObject({}))]).optional(),
    stream: z.boolean().optional(),
    tools: z.array(z.looseObject({})).optional(),
    thinking: z.looseObject({ type: z.string() }).optional(),
  })
  .meta({ id: 'MessagesRequest' });

const messagesAnswer = z
  .looseObject({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(z.looseObject({ type: z.string() })),
    stop_reason: z.string().nullable(),
    usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }),
  })
  .meta({ id: 'Message' });

/** Chat completions and messages. */
export function chatRoutes(deps: RelayDeps, metaModels: MetaModels): Route[] {
  const respond = async (call: Call<'apiKey'>, endpoint: string, parse: (body: unknown) => Sourced, how?: Parse) => {
    const given = chatWithOwnFiles(deps, call, await readSoonAnswered(call, how));
    // Awaited here: returning the promise would allocate one more and take another microtask turn.
    return await answer(deps, metaModels, call, endpoint, parse(given instanceof Promise ? await given : given));
  };
  return [
    defineRoute({
      ...relayRoute,
      method: 'post',
      path: '/v1/chat/completions',
      summary: 'Create a chat completion, optionally streamed',
      body: chatRequest,
      answers: { 200: [chatAnswer, asEvents] },
      handle: (call) => respond(call, '/v1/chat/completions', parseChatRequest),
    }),
    defineRoute({
      ...relayRoute,
      method: 'post',
      path: '/v1/messages',
      summary: 'Create a message in the Anthropic format, optionally streamed',
      errors: 'anthropic',
      body: messagesRequest,
      answers: { 200: [messagesAnswer, asEvents] },
      handle: (call) => respond(call, '/v1/messages', parseMessagesRequest, parserOf('messages')),
    }),
  ];
}
