import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { maxJsonBytes, readJsonSoonAnswered, withMembers } from '../../platform/http/body.ts';
import { type Call, defineRoute, json, type Route } from '../../platform/http/route.ts';
import type { RelayDeps } from '../deps.ts';
import type { Before, Owner, ResponseKeeper, ResponseObject } from '../responses/keeper.ts';
import type { Json, Sourced } from '../wire/conversation.ts';
import { invalid, optionalBoolean, readObject } from '../wire/read.ts';
import { itemsOf } from '../wire/responses/items.ts';
import { parseResponsesRequest } from '../wire/responses/request.ts';
import { responseObject } from '../wire/responses/response.ts';
import { shortened } from '../wire/responses/truncate.ts';
import { answer, optionsOf } from './answer.ts';
import { relayRoute } from './json-endpoint.ts';
import type { Keep } from './kept-first.ts';
import type { MetaModels } from './meta-models.ts';
import { namedIn, refuseWithoutKeeper, resolveItems, withIds } from './responses-before.ts';

const path = '/v1/responses';

/** For the reference page; the relay reads requests itself. */
const responsesRequest = z
  .looseObject({
    model: z.string(),
    input: z.union([z.string(), z.array(z.looseObject({}))]),
    instructions: z.string().nullable().optional(),
    stream: z.boolean().optional(),
    max_output_tokens: z.number().int().min(1).nullable().optional(),
    temperature: z.number().min(0).max(2).nullable().optional(),
    top_p: z.number().min(0).max(1).nullable().optional(),
    tools: z.array(z.looseObject({ type: z.string() })).optional(),
    tool_choice: z.union([z.string(), z.looseObject({})]).optional(),
    reasoning: z.looseObject({}).nullable().optional(),
    text: z.looseObject({}).optional(),
    store: z.boolean().nullable().optional(),
    previous_response_id: z.string().nullable().optional(),
    svc_ms: z.looseObject({}).optional(),
    provider: z.looseObject({}).optional(),
  })
  .meta({ id: 'ResponseRequest' });

const responseAnswer = z
  .looseObject({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.number().int(),
    status: z.string(),
    model: z.string(),
    output: z.array(z.looseObject({ type: z.string() })),
    usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number(), total_tokens: z.number() }).nullable(),
  })
  .meta({ id: 'Response' });

export const responsesRoutes = (deps: RelayDeps, metaModels: MetaModels, keeper?: ResponseKeeper): Route[] => [
  defineRoute({
    ...relayRoute,
    method: 'post',
    path,
    summary: 'Response in the format of OpenAI’s Responses API, whole or streamed',
    body: responsesRequest,
    answers: { 200: responseAnswer },
    handle: async (call) => {
      const body = await readJsonSoonAnswered(call.request, maxJsonBytes);
      return respond(deps, metaModels, keeper, call, readObject(withMembers(call, body), 'body'));
    },
  }),
];

/**
 * One response: what it builds on is fetched, and what it becomes is kept. An upstream that speaks this format itself would
 * get `source.body`, which holds all items.
 */
export async function respond(
  deps: RelayDeps,
  metaModels: MetaModels,
  keeper: ResponseKeeper | undefined,
  call: Call<'apiKey'>,
  body: Json,
): Promise<Response> {
  const named = namedIn(body);
  const background = optionalBoolean(body, 'background') ?? false;
  if (!keeper) {
    refuseWithoutKeeper(named, background);
    return respondOnce(deps, metaModels, call, parseResponsesRequest({ ...body, store: false }));
  }
  const owner: Owner = { userId: call.principal.user.id, keyId: call.principal.keyId };
  const brought = itemsOf(body.input);
  const before = Object.keys(named).length > 0 ? await keeper.before(owner, named) : [];
  const resolve = (items: Json[]) => resolveItems(keeper, owner, items);
  const conversation = parseResponsesRequest({ ...body, input: await resolve(brought) }, await resolve(before));
  const input = withIds(brought);
  if (background) return enqueue(deps, keeper, owner, call, conversation, { input, named, body });
  const keep: Keep = (response) => keeper.keep(owner, { response: response as ResponseObject, input, named });
  return respondOnce(deps, metaModels, call, conversation, body.store === false ? undefined : keep);
}

/** With `truncation: "auto"` the oldest turns are left out until the rest fits. */
async function respondOnce(
  deps: RelayDeps,
  metaModels: MetaModels,
  call: Call<'apiKey'>,
  conversation: Sourced,
  keep?: Keep,
): Promise<Response> {
  for (let asked = conversation; ; ) {
    try {
      return await answer(deps, metaModels, call, path, asked, { keep });
    } catch (error) {
      const tooLong = error instanceof AppError && error.code === 'context_length_exceeded';
      const shorter = tooLong && conversation.source.body.truncation === 'auto' ? shortened(asked) : null;
      if (!shorter) throw error;
      asked = shorter;
    }
  }
}

async function enqueue(
  deps: RelayDeps,
  keeper: ResponseKeeper,
  owner: Owner,
  call: Call<'apiKey'>,
  conversation: Sourced,
  { input, named, body }: { input: Json[]; named: Before; body: Json },
): Promise<Response> {
  if (body.store === false) throw invalid('store', `'background' needs 'store', which is how its response is fetched.`);
  if (conversation.stream)
    throw invalid('stream', `'stream' together with 'background' is not supported: fetch the response by its id.`);
  const response = responseObject(optionsOf(deps, conversation), { status: 'queued', output: [] }) as ResponseObject;
  await keeper.enqueue(owner, { response, input, named, body });
  return json(call, response);
}
