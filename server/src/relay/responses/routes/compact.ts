import { z } from 'zod';
import { nowSeconds } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/errors.ts';
import { type Call, defineRoute, type Grow, json, type Route } from '../../../platform/http/route.ts';
import { parseOverride } from '../../../routing/override.ts';
import type { RelayDeps } from '../../deps.ts';
import { modelOrDefault } from '../../endpoints/default-model.ts';
import { withOwnFiles } from '../../own-files.ts';
import { contextOf } from '../../request-context.ts';
import { tokensOf } from '../../routes/count-tokens.ts';
import { relayRoute, whileClientStays } from '../../routes/json-endpoint.ts';
import type { MetaModels } from '../../routes/meta-models.ts';
import { readJsonBody } from '../../routes/read-body.ts';
import { readItems, readRequest } from '../../routes/read-responses-request.ts';
import { optionalString, requiredString } from '../../wire/read.ts';
import { renderResponsesUsage } from '../../wire/usage.ts';
import { compactionItem, lastMessages } from '../compaction.ts';
import { asKept, checkItems, newId } from '../items.ts';
import type { Item } from '../keeper.ts';
import type { KeptResponses } from '../open.ts';
import { summarizeWith } from '../summarize.ts';
import { item, ownerOf, usageAnswer } from './schemas.ts';

const fields = {
  input: z.union([z.string(), z.array(z.looseObject({}))]).optional(),
  instructions: z.string().optional(),
  previous_response_id: z.string().optional(),
};
const compactRequest = z.looseObject({ model: z.string(), ...fields }).meta({ id: 'ResponseCompactRequest' });
const countRequest = z
  .looseObject({
    model: z.string().optional(),
    ...fields,
    conversation: z.union([z.string(), z.object({ id: z.string() })]).optional(),
    tools: z.array(z.looseObject({})).optional(),
  })
  .meta({ id: 'ResponseInputTokensRequest' });

/** Token counting and compaction. */
export function compactRoutes(relay: RelayDeps, metaModels: MetaModels, { deps, keeper }: KeptResponses): Route[] {
  const summarize = summarizeWith(relay);
  const growOf =
    (call: Call<'apiKey'>): Grow =>
    (bytes) =>
      call.grow?.(bytes);
  const itemsOf = async (call: Call<'apiKey'>, body: Item): Promise<Item[]> => {
    // Nothing is stored.
    const { before, items } = await readItems(keeper, ownerOf(call), { ...body, store: false }, growOf(call));
    checkItems(items, 'input');
    return [...before, ...items];
  };
  const compactPath = '/v1/responses/compact';
  const countPath = '/v1/responses/input_tokens';
  return [
    defineRoute({
      ...relayRoute,
      tag: 'Responses',
      method: 'post',
      path: compactPath,
      summary: 'Compact a long conversation for use as input',
      body: compactRequest,
      answers: {
        200: z
          .object({
            id: z.string(),
            object: z.literal('response.compaction'),
            created_at: z.int(),
            output: z.array(item),
            usage: usageAnswer,
          })
          .meta({ id: 'CompactedResponse' }),
      },
      handle: (call) =>
        whileClientStays(call, async () => {
          const body = await readJsonBody(call);
          const model = requiredString(body, 'model');
          // A built-in model would plan and remember; summarising is not a task of its user's.
          if (Object.hasOwn(metaModels, model))
            throw new AppError('invalid_value', `${model} cannot write summaries. Name one of the models it uses.`, {
              param: 'model',
            });
          const instructions = optionalString(body, 'instructions');
          const items = await itemsOf(call, body);
          if (items.length === 0)
            throw new AppError('missing_required_parameter', "Missing required parameter: 'input'.", {
              param: 'input',
            });
          // The remaining messages still refer to their files.
          const read = await withOwnFiles(relay, ownerOf(call).userId, items, growOf(call));
          const context = contextOf(call, compactPath, parseOverride(body.provider));
          const { text, usage } = await summarize(context, { model, instructions, items: read });
          const compaction = compactionItem(deps.sealer, ownerOf(call), text);
          return json(call, {
            id: newId('resp'),
            object: 'response.compaction',
            created_at: nowSeconds(deps.clock),
            output: [...asKept(lastMessages(items)), compaction],
            usage: renderResponsesUsage(usage),
          });
        }),
    }),
    defineRoute({
      ...relayRoute,
      tag: 'Responses',
      method: 'post',
      path: countPath,
      summary: 'Count the input tokens of a response; free of charge',
      body: countRequest,
      answers: { 200: z.object({ object: z.literal('response.input_tokens'), input_tokens: z.int() }) },
      handle: (call) =>
        whileClientStays(call, async () => {
          const body = await readJsonBody(call);
          const context = contextOf(call, countPath, parseOverride(body.provider));
          const model = modelOrDefault(relay, context.caller, body, 'chat');
          const asked = { ...body, model, store: false };
          const { conversation } = await readRequest(relay, keeper, ownerOf(call), asked, growOf(call));
          const input_tokens = await tokensOf(relay, metaModels, context, conversation);
          return json(call, { object: 'response.input_tokens', input_tokens });
        }),
    }),
  ];
}
