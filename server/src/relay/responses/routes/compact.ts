import { z } from 'zod';
import { nowSeconds } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Usage } from '../../../lib/money.ts';
import { type Call, defineRoute, json, type Route } from '../../../platform/http/route.ts';
import { allowModel } from '../../bill.ts';
import type { RelayDeps, RequestContext } from '../../deps.ts';
import { countTokens } from '../../endpoints/count-tokens.ts';
import { modelOr } from '../../endpoints/default-model.ts';
import { promptOf } from '../../prompt.ts';
import { contextOf } from '../../request-context.ts';
import { relayRoute, whileClientStays } from '../../routes/json-endpoint.ts';
import type { MetaModels } from '../../routes/meta-models.ts';
import { readJsonBody } from '../../routes/read-body.ts';
import type { Conversation } from '../../wire/conversation.ts';
import { optionalString, requiredString } from '../../wire/read.ts';
import { compactionItem, lastMessages } from '../compaction.ts';
import { asKept, newId } from '../items.ts';
import type { Before, Item } from '../keeper.ts';
import type { KeptResponses } from '../open.ts';
import { inputItems, plainConversation } from '../plain.ts';
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

function beforeOf(body: Item): Before {
  const previousResponseId = optionalString(body, 'previous_response_id');
  const given = body.conversation;
  const conversationId =
    typeof given === 'object' && given !== null
      ? requiredString(given as Item, 'id', 'conversation')
      : optionalString(body, 'conversation');
  return {
    ...(previousResponseId !== undefined && { previousResponseId }),
    ...(conversationId !== undefined && { conversationId }),
  };
}

const usageOf = (usage: Usage) => ({
  input_tokens: usage.promptTokens,
  input_tokens_details: {
    cached_tokens: usage.cacheReadTokens ?? 0,
    cache_write_tokens: (usage.cacheWriteTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0),
  },
  output_tokens: usage.completionTokens,
  output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  total_tokens: usage.promptTokens + usage.completionTokens,
});

/** What the client sends; what a model of ours asks others besides is its own affair. */
async function countOwn(deps: RelayDeps, context: RequestContext, conversation: Conversation): Promise<number> {
  allowModel(deps, context, conversation.model, conversation.model);
  return promptOf(conversation).count();
}

/** Questions about what a response would be made of. */
export function compactRoutes(relay: RelayDeps, metaModels: MetaModels, { deps, keeper }: KeptResponses): Route[] {
  const summarize = summarizeWith(relay);
  const isOwn = (model: string): boolean => Object.hasOwn(metaModels, model);
  const itemsOf = async (call: Call<'apiKey'>, body: Item): Promise<Item[]> => {
    const owner = ownerOf(call);
    const before = await keeper.before(owner, beforeOf(body), (bytes) => call.grow?.(bytes));
    return [...before, ...keeper.expand(owner, inputItems(body.input))];
  };
  const compactPath = '/v1/responses/compact';
  const countPath = '/v1/responses/input_tokens';
  return [
    defineRoute({
      ...relayRoute,
      tag: 'Responses',
      method: 'post',
      path: compactPath,
      summary: 'A long conversation in short, to be used as input',
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
          // It would plan and remember; what is to be summed up is no task of its user's.
          if (isOwn(model))
            throw new AppError('invalid_value', `${model} writes no summaries: name a model that it could ask.`, {
              param: 'model',
            });
          const instructions = optionalString(body, 'instructions');
          const items = await itemsOf(call, body);
          if (items.length === 0)
            throw new AppError('missing_required_parameter', "Missing required parameter: 'input'.", {
              param: 'input',
            });
          const { text, usage } = await summarize(contextOf(call, compactPath), { model, instructions, items });
          const compaction = compactionItem(deps.sealer, ownerOf(call), text);
          return json(call, {
            id: newId('resp'),
            object: 'response.compaction',
            created_at: nowSeconds(deps.clock),
            output: [...asKept(lastMessages(items)), compaction],
            usage: usageOf(usage),
          });
        }),
    }),
    defineRoute({
      ...relayRoute,
      tag: 'Responses',
      method: 'post',
      path: countPath,
      summary: 'Tokens that a response would take in; free',
      body: countRequest,
      answers: { 200: z.object({ object: z.literal('response.input_tokens'), input_tokens: z.int() }) },
      handle: (call) =>
        whileClientStays(call, async () => {
          const body = await readJsonBody(call);
          const context = contextOf(call, countPath);
          const model = modelOr(relay, context.caller, body, 'chat');
          const conversation = plainConversation(model, body, await itemsOf(call, body));
          const tokens = isOwn(model)
            ? await countOwn(relay, context, conversation)
            : await countTokens(relay, context, conversation);
          return json(call, { object: 'response.input_tokens', input_tokens: tokens });
        }),
    }),
  ];
}
