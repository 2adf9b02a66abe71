import { z } from 'zod';
import { asEvents } from '../../platform/http/answers.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import type { RelayDeps } from '../deps.ts';
import { parseCohereRequest } from '../wire/cohere/request.ts';
import { answer } from './answer.ts';
import { relayRoute } from './json-endpoint.ts';
import type { MetaModels } from './meta-models.ts';
import { readSoonAnswered } from './read-body.ts';

const path = '/v2/chat';

/** For the API reference; the relay parses requests itself. */
const requestSchema = z
  .looseObject({
    model: z.string(),
    messages: z.array(z.looseObject({ role: z.string() })),
    stream: z.boolean().optional(),
    tools: z.array(z.looseObject({ type: z.literal('function') })).optional(),
    tool_choice: z.enum(['REQUIRED', 'NONE']).optional(),
    strict_tools: z.boolean().optional(),
    documents: z.array(z.union([z.string(), z.looseObject({})])).optional(),
    response_format: z.looseObject({ type: z.string() }).optional(),
    max_tokens: z.int().min(1).optional(),
    stop_sequences: z.array(z.string()).optional(),
    temperature: z.number().min(0).max(2).optional(),
    seed: z.int().optional(),
    frequency_penalty: z.number().min(-2).max(2).optional(),
    presence_penalty: z.number().min(-2).max(2).optional(),
    k: z.int().min(0).max(500).optional(),
    p: z.number().min(0).max(1).optional(),
    thinking: z.looseObject({ type: z.string() }).optional(),
    provider: z.looseObject({}).optional(),
    svc_ms: z.looseObject({}).optional(),
  })
  .meta({ id: 'CohereChatRequest' });

const answerSchema = z
  .looseObject({
    id: z.string(),
    finish_reason: z.string(),
    message: z.looseObject({ role: z.literal('assistant') }),
    usage: z.looseObject({}).optional(),
  })
  .meta({ id: 'CohereChatAnswer' });

export const cohereRoutes = (deps: RelayDeps, metaModels: MetaModels): Route[] => [
  defineRoute({
    ...relayRoute,
    errors: 'cohere',
    method: 'post',
    path,
    summary: 'Create a chat response in the Cohere format, optionally streamed',
    body: requestSchema,
    answers: { 200: [answerSchema, asEvents] },
    handle: async (call) => answer(deps, metaModels, call, path, parseCohereRequest(await readSoonAnswered(call))),
  }),
];
