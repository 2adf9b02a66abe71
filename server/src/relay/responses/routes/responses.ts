import { z } from 'zod';
import { AppError } from '../../../lib/errors.ts';
import { asEvents } from '../../../platform/http/answers.ts';
import { OpenStreams } from '../../../platform/http/open-streams.ts';
import { type Call, defineRoute, json, type Route } from '../../../platform/http/route.ts';
import { cancelResponse, stopWork } from '../background.ts';
import { noItem, noResponse, scopeOf } from '../deps.ts';
import type { KeptResponses } from '../open.ts';
import { listOf, responseOf } from '../render.ts';
import { deleteResponse } from '../store/delete.ts';
import { outputOf, pageItems } from '../store/items.ts';
import { findResponse } from '../store/responses.ts';
import type { ResponseRow } from '../store/tables.ts';
import { followed } from './follow.ts';
import * as schemas from './schemas.ts';

const { base, ownerOf, includedIn } = schemas;
const params = z.object({ response_id: z.string() });
/** One account may serve many people; each stream looks into the database every second. */
const mostFollowers = 1_000;

/** Reading, cancelling and deleting stored responses. */
export function keptResponseRoutes({ deps, keeper }: Pick<KeptResponses, 'deps' | 'keeper'>): Route[] {
  const { db } = deps;
  const open = new OpenStreams(mostFollowers);
  const find = async (call: Call<'apiKey', unknown, unknown, { response_id: string }>): Promise<ResponseRow> => {
    const { response_id: id } = call.params;
    const row = await findResponse(db, scopeOf(deps, ownerOf(call)), id);
    if (!row) throw noResponse(id);
    return row;
  };
  const render = async (row: ResponseRow, include: readonly string[] = []) =>
    responseOf(row, await outputOf(db, row), include);

  const follow = (call: Call<'apiKey'>, row: ResponseRow, after: number, include: readonly string[]): Response => {
    const refuse = (message: string) => new AppError('invalid_value', message, { param: 'stream' });
    if (row.background === 0) throw refuse("Only responses created with 'background: true' can be streamed again.");
    if (row.told === 0) throw refuse('The events of this response are no longer stored. Fetch it without stream.');
    const { id } = row;
    const over = open.begin(call);
    return followed(call, deps, id, (left, write) => keeper.follow({ id, after, include }, left, write), over);
  };

  return [
    defineRoute({
      ...base,
      method: 'get',
      path: '/v1/responses/{response_id}',
      summary: 'Get a stored response; one running in the background can also be streamed',
      params,
      query: z.strictObject({
        ...schemas.queryFields,
        stream: schemas.truth.optional(),
        starting_after: schemas.startingAfter,
        include_obfuscation: schemas.truth.optional(),
      }),
      answers: { 200: [schemas.responseAnswer, asEvents] },
      handle: async (call) => {
        const row = await find(call);
        const include = includedIn(call.query);
        const { stream, starting_after: after } = call.query;
        if (stream) return follow(call, row, after ?? -1, include);
        return json(call, await render(row, include));
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: '/v1/responses/{response_id}',
      summary: 'Delete a stored response',
      params,
      answers: { 200: z.object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) }) },
      handle: async (call) => {
        const { id } = await find(call);
        if (!(await deleteResponse(db, scopeOf(deps, ownerOf(call)), id))) throw noResponse(id);
        // Workers find that the row is gone.
        await stopWork(deps, id);
        return json(call, { id, object: 'response', deleted: true });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/v1/responses/{response_id}/cancel',
      summary: 'Cancel a background response',
      params,
      answers: { 200: schemas.responseAnswer },
      handle: async (call) =>
        json(call, await render(await cancelResponse(deps, ownerOf(call), call.params.response_id))),
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: '/v1/responses/{response_id}/input_items',
      summary: 'List the input items of a stored response',
      params,
      query: schemas.listQuery,
      answers: { 200: schemas.listAnswer },
      handle: async (call) => {
        const row = await find(call);
        const { after, limit = 20, order = 'desc' } = call.query;
        call.grow?.(row.bytes);
        const items = await pageItems(db, row, { after, limit, order });
        if (!items) throw noItem(after!);
        return json(call, listOf(items, limit, includedIn(call.query)));
      },
    }),
  ];
}
