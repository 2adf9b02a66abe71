import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { answered, done, management } from '../../platform/http/answers.ts';
import { idText, nothingAsked } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import type { AccountDeps } from '../accounts.ts';
import { deleteNotice, listNotices, mostShown } from '../store/notices.ts';

const base = { ...management, tag: 'Account', auth: 'session' } as const;

const noticeSchema = z
  .object({
    id: z.number().int(),
    kind: z.string(),
    about: z.record(z.string(), z.unknown()),
    created_at: z.number().int(),
  })
  .meta({ id: 'Notice' });

export const noticeRoutes = ({ db }: Pick<AccountDeps, 'db'>): Route[] => [
  defineRoute({
    ...base,
    method: 'get',
    path: '/api/user/notices',
    summary: 'List the 20 latest notices about your account, newest first',
    query: nothingAsked,
    answers: { 200: answered(z.object({ notices: z.array(noticeSchema) })) },
    handle: async (call) => {
      const rows = await listNotices(db, call.principal.user.id, mostShown);
      const notices = rows.map(({ id, kind, about, created_at }) => ({
        ...{ id, kind, about: JSON.parse(about) as Record<string, unknown>, created_at },
      }));
      return ok(call, { notices });
    },
  }),
  defineRoute({
    ...base,
    method: 'delete',
    path: '/api/user/notices/{id}',
    summary: 'Dismiss a notice',
    params: z.object({ id: idText }),
    answers: { 200: done },
    handle: async (call) => {
      if (!(await deleteNotice(db, call.principal.user.id, call.params.id)))
        throw new AppError('not_found', 'There is no such notification.');
      return json(call, { success: true, message: 'The notice was dismissed.' });
    },
  }),
];
