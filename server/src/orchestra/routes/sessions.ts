import { z } from 'zod';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { answered, done } from '../../platform/http/answers.ts';
import { pageFields, rangeOf } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { shownName } from '../../platform/http/shown-text.ts';
import { sessionIdSchema } from '../params.ts';
import type { Deps } from '../ports.ts';
import { pageOfMessages, type StoredMessage } from '../store/messages.ts';
import { activePlan, type StoredPlan } from '../store/plans.ts';
import {
  deleteSession,
  findSession,
  listSessions,
  newSessionId,
  openSession,
  type Session,
} from '../store/sessions.ts';
import { latestSummary } from '../store/summaries.ts';
import { base, historySchema, sessionDetailSchema, sessionSchema } from './schemas.ts';

const path = '/api/svc-ms/sessions';
const params = z.object({ session_id: sessionIdSchema });
const tag = shownName(64);
const listAnswer = z.object({
  sessions: z.array(sessionSchema),
  total: z.number().int(),
  page: z.number().int(),
  page_size: z.number().int(),
});

export function sessionRoutes(deps: Deps): Route[] {
  const { db } = deps;
  const now = () => nowSeconds(deps.clock);
  const own = async (userId: number, sessionId: string): Promise<Session> => {
    const session = await findSession(db, userId, sessionId, now());
    if (!session) throw new AppError('not_found', 'Session not found');
    return session;
  };
  return [
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary: 'List your sessions, most recently used first',
      query: z.strictObject({ ...pageFields, tag: tag.optional() }),
      answers: { 200: answered(listAnswer) },
      handle: async (call) => {
        const { page, page_size, tag } = call.query;
        const query = { userId: call.principal.user.id, tag, ...rangeOf(call.query) };
        const { sessions, total } = await listSessions(db, query, now());
        return ok(call, { sessions: sessions.map(view), total, page, page_size });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path,
      summary: 'Create a session, or return the existing one with that id',
      idempotent: true,
      body: z.object({ session_id: sessionIdSchema.optional(), tags: z.array(tag).max(20).optional() }),
      answers: { 200: answered(sessionSchema), 201: answered(sessionSchema) },
      handle: async (call) => {
        const { session_id: sessionId = newSessionId(), tags } = call.body;
        const { session, created } = await openSession(db, { userId: call.principal.user.id, sessionId, tags }, now());
        return ok(call, view(session), created ? 201 : 200);
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${path}/{session_id}`,
      summary: 'Get a session with its summary and current plan',
      params,
      answers: { 200: answered(sessionDetailSchema) },
      handle: async (call) => {
        const session = await own(call.principal.user.id, call.params.session_id);
        const summary = await latestSummary(db, session.ref);
        const plan = await activePlan(db, session.ref, now());
        const more = {
          project_id: session.projectId,
          summary: summary?.text ?? null,
          active_plan: plan && planView(plan),
        };
        return ok(call, { ...view(session), ...more });
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${path}/{session_id}`,
      summary: 'Permanently delete a session and its memory; knowledge is kept',
      params,
      answers: { 200: done },
      handle: async (call) => {
        const { id } = call.principal.user;
        if (!(await deleteSession(db, id, call.params.session_id)))
          throw new AppError('not_found', 'Session not found');
        deps.near.forget(id);
        return json(call, { success: true, message: 'The session and its memory are deleted.' });
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${path}/{session_id}/history`,
      summary: 'List the messages of a session, oldest first',
      params,
      query: z.strictObject(pageFields),
      answers: { 200: answered(historySchema) },
      handle: async (call) => {
        const session = await own(call.principal.user.id, call.params.session_id);
        const { page, page_size } = call.query;
        const { messages, total } = await pageOfMessages(db, session.ref, rangeOf(call.query));
        return ok(call, { session_id: session.sessionId, messages: messages.map(messageView), total, page, page_size });
      },
    }),
  ];
}

const view = (session: Session) => ({
  session_id: session.sessionId,
  created_at: session.createdAt,
  last_accessed: session.lastAccessed,
  total_messages: session.totalMessages,
  total_tokens: session.tokensUsed,
  has_active_plan: session.hasActivePlan,
  tags: session.tags,
});

const planView = ({ planId, status, state, createdAt }: StoredPlan) => ({
  plan_id: planId,
  description: state.description,
  status,
  created_at: createdAt,
  tasks: state.tasks.map(({ id, title, difficulty, depends_on }) => ({
    id,
    title,
    difficulty,
    depends_on,
    status: state.results[id]?.status ?? 'pending',
  })),
});

const messageView = ({ id, message, model, tokens, createdAt }: StoredMessage) => ({
  id,
  role: message.role,
  content: message.content,
  ...(message.tool_calls && { tool_calls: message.tool_calls }),
  ...(message.tool_call_id && { tool_call_id: message.tool_call_id }),
  ...(model && { model }),
  tokens,
  created_at: createdAt,
});
