import { z } from 'zod';
import { type Answer, defineRoute, json, longJson, type Route } from '../../platform/http/route.ts';
import { parseOverride } from '../../routing/override.ts';
import type { RelayDeps } from '../deps.ts';
import { embed } from '../endpoints/embeddings.ts';
import { contextOf } from '../request-context.ts';
import type { Json } from '../wire/conversation.ts';
import { parserOf } from '../wire/exact-arguments.ts';
import { readBatchEmbedRequest, readEmbedRequest, vectorsOf } from '../wire/gemini/embed.ts';
import { GoogleEvents } from '../wire/gemini/google-events.ts';
import { JsonArray } from '../wire/gemini/json-array.ts';
import { parseGeminiRequest } from '../wire/gemini/request.ts';
import { answer, contextFor } from './answer.ts';
import { tokensOf } from './count-tokens.ts';
import { type GeminiCall, geminiRoute, modelIn } from './gemini-route.ts';
import {
  batchEmbedAnswer,
  batchEmbedRequest,
  countAnswer,
  countRequest,
  embedAnswer,
  embedRequest,
  generateAnswer,
  generateRequest,
  streamedAnswer,
} from './gemini-schemas.ts';
import { tell, whileClientStays } from './json-endpoint.ts';
import type { MetaModels } from './meta-models.ts';
import { readJsonBody, readSoonAnswered } from './read-body.ts';

/** A method of a model: the end of Google's addresses. */
interface Method {
  name: string;
  summary: string;
  body: z.ZodType;
  query?: z.ZodObject;
  answer: Answer | readonly Answer[];
  respond(call: GeminiCall, endpoint: string): Promise<Response>;
}

const methodRoute = ({ name, summary, body, query, answer: schema, respond }: Method): Route =>
  defineRoute({
    ...geminiRoute,
    method: 'post',
    path: `/v1beta/models/{model+}:${name}`,
    summary,
    body,
    ...(query && { query }),
    params: z.object({ model: z.string() }),
    answers: { 200: schema },
    handle: (call) => respond(call, `/v1beta/models:${name}`),
  });

/** Google's content generation, token counting and embeddings. */
export const geminiRoutes = (deps: RelayDeps, metaModels: MetaModels): Route[] => [
  ...generateRoutes(deps, metaModels),
  methodRoute({
    name: 'countTokens',
    summary: 'Count the tokens of a request, free of charge',
    body: countRequest,
    answer: countAnswer,
    respond: (call, endpoint) =>
      whileClientStays(call, async () => {
        const body = countedIn(await readJsonBody(call));
        const conversation = parseGeminiRequest(body, { model: modelIn(call), stream: false });
        const context = contextFor(call, endpoint, conversation);
        return json(call, { totalTokens: await tokensOf(deps, metaModels, context, conversation) });
      }),
  }),
  ...embedRoutes(deps),
];

function generateRoutes(deps: RelayDeps, metaModels: MetaModels): Route[] {
  const read = async (call: GeminiCall, stream: boolean) =>
    parseGeminiRequest(await readSoonAnswered(call, parserOf('gemini')), { model: modelIn(call), stream });
  return [
    methodRoute({
      name: 'generateContent',
      summary: 'Generate content in the Gemini format',
      body: generateRequest,
      answer: generateAnswer,
      respond: async (call, endpoint) => answer(deps, metaModels, call, endpoint, await read(call, false)),
    }),
    methodRoute({
      name: 'streamGenerateContent',
      summary:
        'Generate content in the Gemini format as a stream: server-sent events with alt=sse, otherwise the elements of an array',
      body: generateRequest,
      query: z.looseObject({ alt: z.string().optional() }),
      answer: [streamedAnswer, { type: 'text/event-stream', description: 'With `alt=sse`, server-sent events' }],
      respond: async (call, endpoint) => {
        const reshape = (call.query as { alt?: string }).alt === 'sse' ? new GoogleEvents() : new JsonArray();
        return answer(deps, metaModels, call, endpoint, await read(call, true), { reshape });
      },
    }),
  ];
}

/** A whole request in its own member, or its parts directly. */
const countedIn = (body: Json): unknown => body.generateContentRequest ?? body.generate_content_request ?? body;

function embedRoutes(deps: RelayDeps): Route[] {
  const respondWith =
    (read: (body: unknown, model: string) => Json, render: (vectors: { values: unknown }[]) => Json) =>
    (call: GeminiCall, endpoint: string) =>
      whileClientStays(call, async () => {
        const body = await readJsonBody(call);
        const context = contextOf(call, endpoint, parseOverride(body.provider));
        const answered = await embed(deps, context, read(body, modelIn(call)));
        tell(call, answered);
        return longJson(call, render(vectorsOf(answered.value)));
      });
  return [
    methodRoute({
      name: 'embedContent',
      summary: 'Create an embedding of one text in the Gemini format',
      body: embedRequest,
      answer: embedAnswer,
      respond: respondWith(readEmbedRequest, ([vector]) => ({ embedding: vector })),
    }),
    methodRoute({
      name: 'batchEmbedContents',
      summary: 'Create embeddings of several texts in the Gemini format',
      body: batchEmbedRequest,
      answer: batchEmbedAnswer,
      respond: respondWith(readBatchEmbedRequest, (embeddings) => ({ embeddings })),
    }),
  ];
}
