import { z } from 'zod';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import { requireAllowedModel } from '../charge.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { countTokens } from '../endpoints/count-tokens.ts';
import { chatWithOwnFiles } from '../own-files.ts';
import { promptOf } from '../prompt.ts';
import type { Conversation } from '../wire/conversation.ts';
import { parseMessagesRequest } from '../wire/messages/request.ts';
import { contextFor } from './answer.ts';
import { relayRoute, whileClientStays } from './json-endpoint.ts';
import { type MetaModels, metaModelOf } from './meta-models.ts';
import { readJsonBody } from './read-body.ts';

const requestSchema = z
  .looseObject({
    model: z.string(),
    messages: z.array(z.looseObject({ role: z.string() })),
    system: z.union([z.string(), z.array(z.looseObject({}))]).optional(),
    tools: z.array(z.looseObject({})).optional(),
  })
  .meta({ id: 'CountTokensRequest' });

/** For built-in models only the client's own input is counted. */
export async function tokensOf(
  deps: RelayDeps,
  metaModels: MetaModels,
  context: RequestContext,
  conversation: Conversation,
): Promise<number> {
  if (!metaModelOf(metaModels, conversation)) return countTokens(deps, context, conversation);
  requireAllowedModel(deps, context, conversation.model, conversation.model);
  return promptOf(conversation).count();
}

export function countTokensRoutes(deps: RelayDeps, metaModels: MetaModels): Route[] {
  const path = '/v1/messages/count_tokens';
  return [
    defineRoute({
      ...relayRoute,
      errors: 'anthropic',
      method: 'post',
      path,
      summary: 'Count the tokens of a message, free of charge',
      body: requestSchema,
      answers: { 200: z.object({ input_tokens: z.int() }).meta({ id: 'TokenCount' }) },
      handle: (call) =>
        whileClientStays(call, async () => {
          const body = await chatWithOwnFiles(deps, call, await readJsonBody(call));
          const conversation = parseMessagesRequest(body, 'count_tokens');
          const context = contextFor(call, path, conversation);
          return json(call, { input_tokens: await tokensOf(deps, metaModels, context, conversation) });
        }),
    }),
  ];
}
