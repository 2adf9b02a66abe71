import { z } from 'zod';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import type { RelayDeps } from '../deps.ts';
import { countTokens } from '../endpoints/count-tokens.ts';
import { chatWithOwnFiles } from '../own-files.ts';
import { contextOf } from '../request-context.ts';
import { parseMessagesRequest } from '../wire/messages/request.ts';
import { relayRoute, whileClientStays } from './json-endpoint.ts';
import { readJsonBody } from './read-body.ts';

const requestSchema = z
  .looseObject({
    model: z.string(),
    messages: z.array(z.looseObject({ role: z.string() })),
    system: z.union([z.string(), z.array(z.looseObject({}))]).optional(),
    tools: z.array(z.looseObject({})).optional(),
  })
  .meta({ id: 'CountTokensRequest' });

export function countTokensRoutes(deps: RelayDeps): Route[] {
  const path = '/v1/messages/count_tokens';
  return [
    defineRoute({
      ...relayRoute,
      errors: 'anthropic',
      method: 'post',
      path,
      summary: 'Tokens that a message would take; free',
      body: requestSchema,
      answers: { 200: z.object({ input_tokens: z.int() }).meta({ id: 'TokenCount' }) },
      handle: (call) =>
        whileClientStays(call, async () => {
          const body = await chatWithOwnFiles(deps, call, await readJsonBody(call));
          const conversation = parseMessagesRequest(body, 'count_tokens');
          return json(call, { input_tokens: await countTokens(deps, contextOf(call, path), conversation) });
        }),
    }),
  ];
}
