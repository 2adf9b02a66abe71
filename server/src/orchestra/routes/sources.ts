import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { answered, done, listed } from '../../platform/http/answers.ts';
import { pageFields, rangeOf } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { removeSource } from '../import/import-source.ts';
import type { Deps } from '../ports.ts';
import { findSource, listSources, type Source } from '../store/sources.ts';
import { base } from './schemas.ts';

const path = '/api/svc-ms/knowledge/sources';
const params = z.object({ id: z.string().min(1).max(64) });

export const sourceSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(['text', 'pdf']),
    state: z.enum(['waiting', 'reading', 'ready', 'failed', 'deleting']),
    error: z.string().nullable().meta({ description: 'Why it could not be imported, and what to do about it' }),
    entries: z.number().int().meta({ description: 'Number of passages that can be searched so far' }),
    total_entries: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Total number of passages in the file; null until it has been read' }),
    size: z.number().int().meta({ description: 'File size in bytes' }),
    category: z.string(),
    created_at: z.number().int(),
  })
  .meta({ id: 'KnowledgeSource' });

export const sourceView = (source: Source) => ({
  id: source.id,
  name: source.name,
  kind: source.kind,
  // `receiving` is an internal state; the owner sees `waiting`.
  state: source.state === 'receiving' ? 'waiting' : source.state,
  error: source.error,
  entries: source.state === 'failed' ? 0 : Math.max(0, source.written - source.removed),
  total_entries: source.total,
  size: source.size,
  category: source.category,
  created_at: source.createdAt,
});

export function sourceRoutes(deps: Deps): Route[] {
  const { db } = deps;
  const own = async (userId: number, id: string): Promise<Source> => {
    const source = await findSource(db, userId, id);
    if (!source) throw new AppError('not_found', 'Source not found');
    return source;
  };
  return [
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary: 'List the files your knowledge was imported from, newest first, with the progress of each import',
      query: z.strictObject(pageFields),
      answers: { 200: listed({ sources: z.array(sourceSchema) }) },
      handle: async (call) => {
        const { page, page_size } = call.query;
        const query = { userId: call.principal.user.id, ...rangeOf(call.query) };
        const { sources, total } = await listSources(db, query);
        return ok(call, { sources: sources.map(sourceView), total, page, page_size });
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${path}/{id}`,
      summary: 'Get a source',
      params,
      answers: { 200: answered(sourceSchema) },
      handle: async (call) => ok(call, sourceView(await own(call.principal.user.id, call.params.id))),
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${path}/{id}`,
      summary: 'Delete a source and its passages',
      params,
      answers: { 200: done },
      handle: async (call) => {
        const source = await own(call.principal.user.id, call.params.id);
        await removeSource(deps, source.ref);
        return json(call, { success: true, message: 'The source and its passages are deleted.' });
      },
    }),
  ];
}
