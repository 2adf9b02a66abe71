import { z } from 'zod';
import { defineRoute, json, type Route } from '../../platform/http/route.ts';
import type { BatchesDeps } from '../deps.ts';
import { removeFile } from '../files.ts';
import type { FileRow } from '../store/tables.ts';
import type { base } from './schemas.ts';
import { contentOf, requireFile } from './stored-file.ts';

/** The vendor's format of a file. */
interface Words {
  base: Omit<typeof base, 'errors'> & { errors: 'openai' | 'anthropic' };
  path: string;
  answer: z.ZodType;
  render(row: FileRow): unknown;
  deletedAnswer: z.ZodType;
  deleted(id: string): unknown;
}

const params = z.object({ file_id: z.string() });
const content = { type: 'application/octet-stream', description: "The file's bytes, unchanged" };

export const oneFileRoutes = (deps: BatchesDeps, words: Words): Route[] => [
  defineRoute({
    ...words.base,
    method: 'get',
    path: `${words.path}/{file_id}`,
    summary: 'Get a file without its content',
    params,
    answers: { 200: words.answer },
    handle: async (call) => json(call, words.render(await requireFile(deps, call))),
  }),
  defineRoute({
    ...words.base,
    method: 'get',
    path: `${words.path}/{file_id}/content`,
    summary: 'Download the content of a file',
    params,
    answers: { 200: content },
    handle: (call) => contentOf(deps, call),
  }),
  defineRoute({
    ...words.base,
    method: 'delete',
    path: `${words.path}/{file_id}`,
    summary: 'Delete a file',
    params,
    answers: { 200: words.deletedAnswer },
    handle: async (call) => {
      const row = await requireFile(deps, call);
      await removeFile(deps, row);
      return json(call, words.deleted(row.id));
    },
  }),
];
