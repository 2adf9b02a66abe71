import { z } from 'zod';
import { wholeNumber } from '../../platform/http/paging.ts';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import type { ModelType } from '../../routing/candidate.ts';
import type { ModelListing } from '../../routing/catalog/listing.ts';
import type { RelayDeps } from '../deps.ts';
import { describeModel, listModels, type ModelView } from '../endpoints/list-models.ts';
import { contextOf } from '../request-context.ts';
import { geminiRoute, modelIn } from './gemini-route.ts';

const modelSchema = z
  .looseObject({ name: z.string(), displayName: z.string(), supportedGenerationMethods: z.array(z.string()) })
  .meta({ id: 'GeminiModel' });

const listSchema = z
  .looseObject({ models: z.array(modelSchema), nextPageToken: z.string().optional() })
  .meta({ id: 'GeminiModelList' });

/** Google's page sizes: fifty by default, at most a thousand. */
const usualPage = 50;
const mostPage = 1_000;

const pageQuery = z.looseObject({
  pageSize: wholeNumber(0, 2 ** 31 - 1).optional(),
  pageToken: z
    .string()
    .regex(/^\d{0,9}$/, 'is not a page token of this list')
    .optional(),
});

const methodsOf: Partial<Record<ModelType, readonly string[]>> = {
  chat: ['generateContent', 'streamGenerateContent', 'countTokens'],
  embedding: ['embedContent', 'batchEmbedContents'],
};

function viewOf({ id, display_name, types, context_length, max_output_tokens }: ModelView) {
  const offered: readonly ModelType[] = types.length === 0 ? ['chat'] : types;
  return {
    name: `models/${id}`,
    version: '1',
    displayName: display_name,
    ...(context_length !== null && { inputTokenLimit: context_length }),
    ...(max_output_tokens !== null && { outputTokenLimit: max_output_tokens }),
    supportedGenerationMethods: offered.flatMap((type) => methodsOf[type] ?? []),
  };
}

/** The models of `/v1/models` in Google's format, without those that have no method there. */
export function geminiModelsRoutes(deps: RelayDeps, own: () => readonly ModelListing[]): Route[] {
  return [
    defineRoute({
      ...geminiRoute,
      method: 'get',
      path: '/v1beta/models',
      summary: 'List the models that the key may use in the Gemini format',
      query: pageQuery,
      answers: { 200: listSchema },
      handle: async (call) => {
        const all = (await listModels(deps, contextOf(call, '/v1beta/models').caller, own()))
          .map(viewOf)
          .filter(({ supportedGenerationMethods }) => supportedGenerationMethods.length > 0);
        const from = Number(call.query.pageToken || 0);
        const to = from + Math.min(mostPage, call.query.pageSize || usualPage);
        return json(call, { models: all.slice(from, to), ...(to < all.length && { nextPageToken: `${to}` }) });
      },
    }),
    defineRoute({
      ...geminiRoute,
      method: 'get',
      path: '/v1beta/models/{model+}',
      summary: 'Get a model in the Gemini format',
      params: z.object({ model: z.string() }),
      answers: { 200: modelSchema },
      handle: async (call) =>
        json(call, viewOf(await describeModel(deps, contextOf(call, '/v1beta/models').caller, own(), modelIn(call)))),
    }),
  ];
}
