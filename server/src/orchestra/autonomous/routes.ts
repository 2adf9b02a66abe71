import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { answered } from '../../platform/http/answers.ts';
import { OpenStreams } from '../../platform/http/open-streams.ts';
import { pageFields, rangeOf } from '../../platform/http/paging.ts';
import { type Call, defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { sessionIdSchema } from '../params.ts';
import type { Deps } from '../ports.ts';
import { callerOf } from '../routes/caller.ts';
import { base } from '../routes/schemas.ts';
import type { Control } from './control.ts';
import type { EventTails } from './event-tails.ts';
import { runStatuses } from './events.ts';
import { approveBody, cancelBody, executeBody, resumeBody, toolResultsBody } from './requests.ts';
import { listCheckpoints, streamEnd } from './store/reads.ts';
import { listRuns, type Run } from './store/runs.ts';
import { streamEvents } from './stream.ts';
import { timelineRoute } from './timeline-routes.ts';
import {
  executionSchema,
  executionView,
  restingView,
  statusSchema,
  statusView,
  summarySchema,
  summaryView,
} from './views.ts';

const path = '/api/svc-ms/autonomous';
/** More than a user has runs; others are connections that were not closed. */
const mostFollowers = 1_500;
const params = z.object({ session_id: sessionIdSchema });
const cancelAnswer = z.object({
  execution_id: z.string(),
  session_id: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
  checkpoint_id: z.string().nullable(),
});
const checkpointsAnswer = z.object({
  checkpoints: z.array(
    z.object({ checkpoint_id: z.string(), iteration: z.number().int(), created_at: z.number().int() }),
  ),
});
const listAnswer = z.object({
  executions: z.array(summarySchema),
  total: z.number().int(),
  page: z.number().int(),
  page_size: z.number().int(),
});

export interface RouteDeps {
  deps: Deps;
  control: Control;
  tails: EventTails;
  /** For streams, which may last for days: throws or rejects once the key or session of the call is not valid any more. */
  recheckCaller(call: Call): unknown;
  /** Aborted when the process stops and cannot wait for runs any longer. */
  stopping?: AbortSignal | undefined;
}

/** Whoever sent the goal again would have it worked on twice. */
const goesOn = () =>
  new AppError('unavailable', 'The service is shutting down. The execution continues; its status shows the result.');

export const autonomousRoutes = (given: RouteDeps): Route[] => [
  ...doing(given),
  ...looking(given),
  timelineRoute(given),
];

function doing({ deps, control, stopping }: RouteDeps): Route[] {
  const ended = (ref: number, left: AbortSignal): Promise<Run | null> =>
    control.ended(ref, stopping ? AbortSignal.any([left, stopping]) : left).catch((error) => {
      throw stopping?.aborted ? goesOn() : error;
    });
  const answerRun = async (call: Pick<Call, 'headers' | 'signal'>, run: Run, stream: boolean) => {
    const shown = stream ? run : await ended(run.ref, call.signal);
    if (!shown) throw new AppError('not_found', 'The session was deleted');
    return json(call, executionView(shown, await restingView(deps.db, shown)));
  };
  return [
    defineRoute({
      ...base,
      method: 'post',
      path: `${path}/execute`,
      summary: 'Start an autonomous execution for a goal',
      idempotent: true,
      body: executeBody,
      answers: { 200: executionSchema },
      handle: async (call) => {
        const { message: goal, session_id: sessionId, stream_events, tools, max_cost, approve } = call.body;
        const config = { ...call.body.config, max_cost, approve };
        const run = await control.execute(callerOf(call.principal), { goal, sessionId, config, tools });
        return answerRun(call, run, stream_events);
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: `${path}/resume`,
      summary: 'Resume from a checkpoint, optionally with more instructions or another plan',
      idempotent: true,
      body: resumeBody,
      answers: { 200: executionSchema },
      handle: async (call) => {
        const { body } = call;
        const run = await control.resume(callerOf(call.principal), {
          sessionId: body.session_id,
          checkpointId: body.checkpoint_id,
          overrides: { ...body.config_overrides, max_cost: body.max_cost, approve: body.approve },
          instructions: body.instructions,
          plan: body.plan?.tasks,
        });
        return answerRun(call, run, body.stream_events);
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: `${path}/{session_id}/tool-results`,
      summary: 'Submit the results of calls to your tools; the execution continues once nothing else is pending',
      idempotent: true,
      params,
      body: toolResultsBody,
      answers: { 200: executionSchema },
      handle: async (call) => {
        const answers = call.body.results.map(({ tool_call_id: id, content }) => ({
          kind: 'output' as const,
          ...{ id, content },
        }));
        const run = await control.answer(callerOf(call.principal), call.params.session_id, answers);
        return answerRun(call, run, call.body.stream_events);
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: `${path}/{session_id}/approve`,
      summary: 'Approve or reject a tool call; the execution continues once nothing else is pending',
      idempotent: true,
      params,
      body: approveBody,
      answers: { 200: executionSchema },
      handle: async (call) => {
        const { tool_call_id: id, approved, note, stream_events } = call.body;
        const answer = { kind: 'approval' as const, id, approved, note };
        const run = await control.answer(callerOf(call.principal), call.params.session_id, [answer]);
        return answerRun(call, run, stream_events);
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: `${path}/cancel`,
      summary: "Stop a session's running or waiting execution; finished work is kept in a checkpoint",
      body: cancelBody,
      answers: { 200: answered(cancelAnswer) },
      handle: async (call) => {
        const { session_id, reason } = call.body;
        const { run, checkpointId } = await control.cancel(call.principal.user.id, session_id, reason || null);
        return ok(call, {
          execution_id: run.executionId,
          session_id,
          status: run.status,
          reason: run.reason,
          checkpoint_id: checkpointId,
        });
      },
    }),
  ];
}

function looking({ deps, control, tails, recheckCaller }: RouteDeps): Route[] {
  const { db, clock } = deps;
  const open = new OpenStreams(mostFollowers);
  return [
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary: 'List your executions, newest first',
      query: z.strictObject({ ...pageFields, status: z.enum(runStatuses).optional() }),
      answers: { 200: answered(listAnswer) },
      handle: async (call) => {
        const { page, page_size, status } = call.query;
        const query = { userId: call.principal.user.id, status, ...rangeOf(call.query) };
        const { runs, total } = await listRuns(db, query);
        return ok(call, { executions: runs.map((run) => summaryView(run, clock)), total, page, page_size });
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${path}/{session_id}/status`,
      summary: "Get the status of a session's execution",
      params,
      answers: { 200: statusSchema },
      handle: async (call) => {
        const run = await control.current(call.principal.user.id, call.params.session_id);
        return json(call, statusView(run, await restingView(db, run), clock));
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${path}/{session_id}/checkpoints`,
      summary: 'List the checkpoints a session can be resumed from, oldest first',
      params,
      answers: { 200: answered(checkpointsAnswer) },
      handle: async (call) => {
        const { ref } = await control.session(call.principal.user.id, call.params.session_id);
        return ok(call, { checkpoints: await listCheckpoints(db, ref) });
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${path}/{session_id}/events`,
      summary: 'Stream execution events live, after Last-Event-ID or from the beginning',
      params,
      query: z.strictObject({ last_event_id: z.string().optional() }),
      answers: {
        200: { type: 'text/event-stream', description: 'Server-sent events; the stream ends after the last one' },
        204: { description: 'No content' },
      },
      handle: async (call) => {
        const run = await control.current(call.principal.user.id, call.params.session_id);
        const given = readLastId(call.request.headers.get('last-event-id') ?? call.query.last_event_id);
        const end = given === null ? null : await streamEnd(db, run.sessionRef);
        // HTML §9.2.3: 204 stops an EventSource from reconnecting when no more events will come.
        if (given !== null && end && !end.running && given >= end.lastSeq)
          return new Response(null, { status: 204, headers: call.headers });
        const stillIn = () => recheckCaller(call);
        const how = { warn: deps.warn, stillIn, over: open.begin(call) };
        return streamEvents(tails, call, run.sessionRef, given ?? run.firstSeq - 1, how);
      },
    }),
  ];
}

/** From the header, or from the query on a browser's first connection, which cannot set headers. */
function readLastId(text: string | undefined | null): number | null {
  if (text === undefined || text === null || text === '') return null;
  if (!/^\d{1,15}$/.test(text)) throw new AppError('invalid_value', 'Last-Event-ID must be the id of an event.');
  return Number(text);
}
