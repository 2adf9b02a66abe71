import { z } from 'zod';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Db } from '../../platform/db/tables.ts';
import { answered, done } from '../../platform/http/answers.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import type { Caller, Deps } from '../ports.ts';
import {
  addEntry,
  bytesOfEntry,
  changeEntry,
  deleteEntry,
  type Entry,
  entriesByRef,
  type FileSource,
  findEntry,
  newestEntries,
} from '../store/knowledge.ts';
import { writeEntry } from '../turn/after-answer.ts';
import { embedNew } from '../turn/embed.ts';
import { contextOutsideTurn } from '../turn/outside-turn.ts';
import { embedQuery, recall } from '../turn/recall.ts';
import { callerOf } from './caller.ts';
import { base, entryChangeSchema, entrySchema, newEntrySchema } from './schemas.ts';

const path = '/api/svc-ms/knowledge';
const params = z.object({ id: z.string().min(1).max(64) });
/** Number of results searched before the less relevant ones are dropped. */
const widest = 200;
/** Less relevant entries are not returned. */
const leastRelevance = 0.25;

const query = z.strictObject({
  q: z.string().max(1000).default(''),
  category: z.string().max(64).optional(),
  limit: z
    .string()
    .regex(/^\d{1,6}$/, 'must be a whole number')
    .transform((text) => Math.min(100, Math.max(1, Number(text))))
    .default(20)
    .meta({ type: 'integer', example: 20 }),
});

export function knowledgeRoutes(deps: Deps): Route[] {
  const { db } = deps;
  const now = () => nowSeconds(deps.clock);
  /** New entries can be found by words at once; vectors follow in the background. */
  const embed = (caller: Caller) => {
    const embedding = async () => embedNew(await contextOutsideTurn(deps, caller, AbortSignal.timeout(60_000)));
    deps.background(embedding().catch((error) => deps.warn('an entry could not be embedded', error)));
  };
  const found = (entry: Entry | null): Entry => {
    if (!entry) throw new AppError('not_found', 'Knowledge entry not found');
    return entry;
  };
  return [
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary: 'Search your knowledge by keyword and meaning; without a query, list the newest entries',
      query,
      answers: { 200: answered(z.array(entrySchema)) },
      handle: async (call) => {
        const { q, category, limit } = call.query;
        const caller = callerOf(call.principal);
        const wanted = { userId: caller.userId, category: category || undefined, limit };
        const entries =
          q.trim() === ''
            ? await newestEntries(db, wanted)
            : await matching(deps, caller, { ...wanted, text: q, signal: call.signal });
        return ok(call, entries.map(view));
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path,
      summary: 'Add a knowledge entry',
      idempotent: true,
      body: newEntrySchema,
      answers: { 201: answered(entrySchema) },
      handle: async (call) => {
        const caller = callerOf(call.principal);
        const { project_id: projectId, ...fact } = call.body;
        const { userId } = caller;
        await deps.storage.take(userId, bytesOfEntry(fact));
        const entry = await writeEntry(db, userId, (tx) => addEntry(tx, { ...fact, userId, projectId }, now()));
        embed(caller);
        return ok(call, view(entry), 201);
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${path}/{id}`,
      summary: 'Get a knowledge entry',
      params,
      answers: { 200: answered(entrySchema) },
      handle: async (call) => ok(call, view(found(await findEntry(db, call.principal.user.id, call.params.id)))),
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: `${path}/{id}`,
      summary: 'Update a knowledge entry; omitted fields stay unchanged',
      params,
      body: entryChangeSchema,
      answers: { 200: answered(entrySchema) },
      handle: async (call) => {
        const caller = callerOf(call.principal);
        const { userId } = caller;
        await deps.storage.take(userId, bytesOfEntry(call.body));
        const change = (tx: Db) => changeEntry(tx, userId, call.params.id, call.body, now());
        const entry = found(await writeEntry(db, userId, change));
        deps.near.forget(userId);
        embed(caller);
        return ok(call, view(entry));
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${path}/{id}`,
      summary: 'Delete a knowledge entry',
      params,
      answers: { 200: done },
      handle: async (call) => {
        const { id } = call.principal.user;
        if (!(await deleteEntry(db, id, call.params.id))) found(null);
        deps.near.forget(id);
        return json(call, { success: true, message: 'The entry is deleted.' });
      },
    }),
  ];
}

interface Wanted {
  text: string;
  category: string | undefined;
  limit: number;
  signal: AbortSignal;
}

async function matching(deps: Deps, caller: Caller, { text, category, limit, signal }: Wanted): Promise<Entry[]> {
  const searching = await contextOutsideTurn(deps, caller, signal);
  const query = await embedQuery(searching, text);
  const scope = { userId: caller.userId, only: 'knowledge', category } as const;
  const found = await recall(searching, { text, query, scope, most: widest, threshold: leastRelevance });
  const refs = found.flatMap(({ knowledgeRef }) => knowledgeRef ?? []).slice(0, limit);
  const entries = new Map((await entriesByRef(deps.db, caller.userId, refs)).map((entry) => [entry.ref, entry]));
  return refs.flatMap((ref) => entries.get(ref) ?? []);
}

const view = (entry: Entry) => ({
  id: entry.id,
  category: entry.category,
  title: entry.title,
  content: entry.content,
  source_session: entry.sourceSession,
  quote: entry.quote,
  source_message: entry.sourceMessage,
  source: entry.source && placeOf(entry.source),
  created_at: entry.createdAt,
  keywords: entry.keywords,
});

/** The page of a PDF, or the heading of a text. */
const placeOf = ({ id, name, page, heading, position }: FileSource) => ({
  id,
  name,
  ...(page !== null && { page }),
  ...(heading !== null && { heading }),
  position,
});
