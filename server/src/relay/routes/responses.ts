import { z } from 'zod';
import { asEvents } from '../../platform/http/answers.ts';
import { type Call, defineRoute, json, type Route } from '../../platform/http/route.ts';
import { requireAnswerable } from '../answer-chat.ts';
import type { RelayDeps } from '../deps.ts';
import { refuseForeignTools } from '../providers/kind/foreign-tools.ts';
import type { KeyCall } from '../request-context.ts';
import type { ResponseKeeper, ResponseObject } from '../responses/keeper.ts';
import { followed } from '../responses/routes/follow.ts';
import { ownerOf } from '../responses/routes/schemas.ts';
import { withoutOffer } from '../web-search.ts';
import type { Json, Sourced } from '../wire/conversation.ts';
import { invalid, optionalBoolean, readObject } from '../wire/read.ts';
import { responseObject } from '../wire/responses/response.ts';
import { untilFitting } from '../wire/responses/truncate.ts';
import { answer, contextFor, optionsOf } from './answer.ts';
import { relayRoute } from './json-endpoint.ts';
import { type MetaModels, metaModelOf } from './meta-models.ts';
import { readSoonAnswered } from './read-body.ts';
import { type ReadRequest, readRequest } from './read-responses-request.ts';
import type { StoreResponse } from './store-before-end.ts';

const path = '/v1/responses';

/** For the API reference; the relay parses requests itself. */
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
    models: z.array(z.string()).max(10).optional(),
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

export const responsesRoutes = (deps: RelayDeps, metaModels: MetaModels, keeper: ResponseKeeper): Route[] => [
  defineRoute({
    ...relayRoute,
    method: 'post',
    path,
    summary: 'Create a response in the format of OpenAI’s Responses API, optionally streamed',
    body: responsesRequest,
    answers: { 200: [responseAnswer, asEvents] },
    handle: async (call) => respond(deps, metaModels, keeper, call, readObject(await readSoonAnswered(call), 'body')),
  }),
];

/**
 * One response: loads what it builds on, and stores the result. An upstream with this format gets `source.body`, which
 * has all items.
 */
export async function respond(
  deps: RelayDeps,
  metaModels: MetaModels,
  keeper: ResponseKeeper,
  call: Call<'apiKey'>,
  given: Json,
): Promise<Response> {
  const owner = ownerOf(call);
  const background = optionalBoolean(given, 'background') ?? false;
  if (background && given.store === false)
    throw invalid('store', `'background' requires 'store', because the response is fetched later.`);
  const body = await storedOrNot(keeper, call, given, background);
  const request = await readRequest(deps, keeper, owner, body, (bytes) => call.grow?.(bytes));
  if (background) return enqueue(deps, metaModels, keeper, call, request, body);
  const { conversation, input, named } = request;
  const keep: StoreResponse = (response) => keeper.keep(owner, { response: response as ResponseObject, input, named });
  const manner = body.store === false ? {} : { keep };
  const asking: KeyCall = call;
  return untilFitting(conversation, (asked) => {
    asking.counted = asked !== conversation;
    return answer(deps, metaModels, asking, path, asked, manner);
  });
}

/**
 * The response says whether it is stored. If the account is full, it is answered nevertheless, unless the client asked
 * for storage.
 */
async function storedOrNot(
  keeper: ResponseKeeper,
  call: Call<'apiKey'>,
  given: Json,
  background: boolean,
): Promise<Json> {
  if (given.store === false) return given;
  if (!keeper.keeps()) return background ? given : { ...given, store: false };
  const needed = background || given.store === true || given.conversation != null;
  if (await keeper.hasRoom(ownerOf(call), needed)) return given;
  call.headers['x-svc-left-out'] = 'store';
  return { ...given, store: false };
}

/** Refuses at once what a response that is waited for would be refused for. */
async function requireBackground(
  deps: RelayDeps,
  metaModels: MetaModels,
  call: KeyCall,
  conversation: Sourced,
): Promise<void> {
  const meta = metaModelOf(metaModels, conversation);
  if (!meta) {
    const context = contextFor(call, path, conversation);
    return untilFitting(conversation, (asked) => requireAnswerable(deps, context, asked));
  }
  const asked = withoutOffer(conversation);
  refuseForeignTools(asked);
  await meta.check?.(call, asked);
}

async function enqueue(
  deps: RelayDeps,
  metaModels: MetaModels,
  keeper: ResponseKeeper,
  call: Call<'apiKey'>,
  { conversation, input, named }: ReadRequest,
  body: Json,
): Promise<Response> {
  await requireBackground(deps, metaModels, call, conversation);
  const response = responseObject(optionsOf(deps, conversation), { status: 'queued', output: [] }) as ResponseObject;
  await keeper.enqueue(ownerOf(call), { response, input, named, body });
  if (!conversation.stream) return json(call, response);
  const { id } = response;
  const include = (body.include ?? []) as string[];
  const parts = { log: deps.log, recheckCaller: keeper.recheckCaller };
  return followed(call, parts, id, (left, write) => keeper.follow({ id, after: -1, include }, left, write));
}
