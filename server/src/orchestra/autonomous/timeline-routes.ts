import { z } from 'zod';
import { answered } from '../../platform/http/answers.ts';
import { cursorField, cursorOf } from '../../platform/http/cursor.ts';
import { pageFields } from '../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { sessionIdSchema } from '../params.ts';
import type { Deps } from '../ports.ts';
import { base } from '../routes/schemas.ts';
import type { Control } from './control.ts';
import { timelineOf } from './timeline.ts';
import { timelineAnswer } from './timeline-views.ts';

export const timelineRoute = ({ deps, control }: { deps: Deps; control: Control }): Route =>
  defineRoute({
    ...base,
    method: 'get',
    path: '/api/svc-ms/autonomous/{session_id}/timeline',
    summary:
      "List every model call, tool call, decision and pause of a session's execution with its cost, newest first",
    params: z.object({ session_id: sessionIdSchema }),
    query: z.strictObject({ page_size: pageFields.page_size, cursor: cursorField(3) }),
    answers: { 200: answered(timelineAnswer) },
    handle: async (call) => {
      const run = await control.current(call.principal.user.id, call.params.session_id);
      const { cursor, page_size } = call.query;
      const { entries, sums, next } = await timelineOf(deps.db, run, cursor, page_size);
      return ok(call, {
        execution_id: run.executionId,
        parent_request_id: run.executionId,
        entries,
        sums,
        next_cursor: next && cursorOf(next),
      });
    },
  });
