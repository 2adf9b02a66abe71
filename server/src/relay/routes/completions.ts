import { z } from 'zod';
import { nowSeconds } from '../../lib/clock.ts';
import { sseData } from '../../lib/sse.ts';
import { asEvents } from '../../platform/http/answers.ts';
import type { Write } from '../../platform/http/event-stream.ts';
import { type Call, defineRoute, json, type Route } from '../../platform/http/route.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import { answerSeveral, type SeveralAnswered } from '../answer-several.ts';
import { answerStream, type OpenStream } from '../answer-stream.ts';
import type { RelayDeps } from '../deps.ts';
import { renderChatAnswer } from '../wire/chat/answer.ts';
import { chatDone, chatErrorChunk } from '../wire/chat/stream.ts';
import { completionOf, echoOf, newCompletionId, textObject } from '../wire/completions/answer.ts';
import { parseCompletionRequest, type SourcedCompletion } from '../wire/completions/request.ts';
import { CompletionEvents } from '../wire/completions/stream.ts';
import type { Json } from '../wire/conversation.ts';
import { unsupported } from '../wire/read.ts';
import { renderChatUsage } from '../wire/usage.ts';
import { answer, contextFor } from './answer.ts';
import { relayRoute, tell, whileClientStays } from './json-endpoint.ts';
import { type MetaModels, metaModelOf } from './meta-models.ts';
import { readSoonAnswered } from './read-body.ts';

const path = '/v1/completions';

/** For the API reference; the relay parses requests itself, so that unknown fields are forwarded. */
const requestSchema = z
  .looseObject({
    model: z.string(),
    prompt: z.union([z.string(), z.array(z.string()).max(32)]),
    suffix: z.string().optional(),
    echo: z.boolean().optional(),
    n: z.int().min(1).max(128).optional(),
    best_of: z.int().min(1).max(20).optional(),
    logprobs: z.int().min(0).max(5).optional(),
    max_tokens: z.int().min(1).optional(),
    temperature: z.number().min(0).max(2).optional(),
    top_p: z.number().min(0).max(1).optional(),
    stop: z.union([z.string(), z.array(z.string())]).optional(),
    stream: z.boolean().optional(),
    stream_options: z.looseObject({ include_usage: z.boolean().optional() }).optional(),
    provider: z.looseObject({}).optional(),
  })
  .meta({ id: 'CompletionRequest' });

const answerSchema = z
  .looseObject({
    id: z.string(),
    object: z.literal(textObject),
    created: z.int(),
    model: z.string(),
    choices: z.array(z.looseObject({ index: z.int(), text: z.string(), finish_reason: z.string().nullable() })),
    usage: z
      .looseObject({ prompt_tokens: z.number(), completion_tokens: z.number(), total_tokens: z.number() })
      .optional(),
  })
  .meta({ id: 'Completion' });

/** The legacy completions endpoint. */
export const completionsRoutes = (deps: RelayDeps, metaModels: MetaModels): Route[] => [
  defineRoute({
    ...relayRoute,
    method: 'post',
    path,
    summary: 'Create a text completion, optionally streamed; uses chat if the model does not support completions',
    body: requestSchema,
    answers: { 200: [answerSchema, asEvents] },
    handle: async (call) => {
      const conversation = parseCompletionRequest(await readSoonAnswered(call));
      if (conversation.completion.prompts.length === 1) return answer(deps, metaModels, call, path, conversation);
      if (metaModelOf(metaModels, conversation))
        throw unsupported('prompt', 'This model accepts one prompt per request.');
      return several(deps, call, conversation);
    },
  }),
];

async function several(deps: RelayDeps, call: Call<'apiKey'>, conversation: SourcedCompletion): Promise<Response> {
  const { model, stream, includeUsage } = conversation;
  const options = { id: newCompletionId(), model, created: nowSeconds(deps.clock), echo: '' };
  const answering = answerSeveral(deps, contextFor(call, path, conversation), conversation);
  if (!stream)
    return whileClientStays(call, async () => {
      const answered = await answering;
      tell(call, answered);
      return json(call, bodyOf(answered, conversation, options));
    });
  const opening = answering.then(
    (answered): OpenStream => ({
      candidate: answered.candidate,
      pump: async (write) => writeAll(write, bodyOf(answered, conversation, options), includeUsage),
    }),
  );
  const fail = (thrown: unknown): string =>
    new CompletionEvents(options).take(chatErrorChunk(toAppError(thrown), options));
  return answerStream(deps, call, opening, fail);
}

type Head = Parameters<typeof completionOf>[1];

/** Choices of the first prompt, then of the second, and so on. */
function bodyOf({ answers, usage, model }: SeveralAnswered, { completion }: SourcedCompletion, head: Head): Json {
  const { id, created } = head;
  const choices = answers.flatMap((one, prompt) => {
    const chat = renderChatAnswer(one, { id, created, model });
    return completionOf(chat, { ...head, echo: echoOf(completion, prompt) }).choices as Json[];
  });
  return {
    id,
    object: textObject,
    created,
    model,
    choices: choices.map((choice, index) => ({ ...choice, index })),
    usage: renderChatUsage(usage),
  };
}

/** They were answered whole: one chunk per choice. */
async function writeAll(write: Write, { usage, choices, ...head }: Json, includeUsage: boolean): Promise<void> {
  for (const choice of choices as Json[]) await write(sseData(JSON.stringify({ ...head, choices: [choice] })));
  if (includeUsage) await write(sseData(JSON.stringify({ ...head, choices: [], usage })));
  await write(chatDone);
}
