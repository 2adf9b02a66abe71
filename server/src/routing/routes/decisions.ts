import { z } from 'zod';
import { listed } from '../../platform/http/answers.ts';
import { idText, pageFields, rangeOf } from '../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { readAttempts, readSummaries } from '../explain.ts';
import type { RoutingParts } from '../routing.ts';
import { type DecisionFilter, type DecisionRow, listDecisions } from '../store/decisions.ts';
import { routing } from './shapes.ts';

const candidateShape = z.object({
  provider: z.string(),
  channel_id: z.int(),
  rank: z.int().nullable(),
  score: z.number(),
  dropped: z.string().nullable(),
  preferred: z.boolean(),
  behind_soft_limit: z.boolean(),
  circuit_state: z.string(),
  success_rate: z.number(),
  latency_ms: z.int(),
  quality_score: z.number(),
  avg_price: z.number(),
  samples: z.int(),
});

const attemptShape = z.object({
  provider: z.string(),
  channel_id: z.int(),
  credential_id: z.int().optional().describe('Set if the channel has several'),
  own_key: z.boolean().optional().describe('The request used the user’s own key'),
  outcome: z.string(),
  cause: z.string().nullable(),
  status: z.int().nullable(),
  latency_ms: z.int(),
  ttft_ms: z.int().nullable(),
});

export const decisionSchema = z
  .object({
    id: z.int(),
    request_id: z.string(),
    /** Id of the turn or run that made the request. */
    parent_request_id: z.string().nullable(),
    user_id: z.int(),
    model_id: z.string(),
    /** The provider called last; null if every circuit was open. */
    selected_provider: z.string().nullable(),
    selected_channel: z.int().nullable(),
    routing_strategy: z.string(),
    routing_reason: z.string(),
    outcome: z.string(),
    duration_ms: z.int(),
    candidates: z.array(candidateShape),
    attempts: z.array(attemptShape),
    created_at: z.int(),
  })
  .meta({ id: 'RoutingDecision' });

export const viewDecision = (row: DecisionRow) => ({
  id: row.id,
  request_id: row.request_id,
  parent_request_id: row.parent_request_id,
  user_id: row.user_id,
  model_id: row.model_id,
  selected_provider: row.provider,
  selected_channel: row.channel_id,
  routing_strategy: row.strategy,
  routing_reason: row.reason,
  outcome: row.outcome,
  duration_ms: row.duration_ms,
  candidates: readSummaries(row.candidates),
  attempts: readAttempts(row),
  created_at: row.created_at,
});

const query = z.strictObject({
  request_id: z.string().optional(),
  parent_request_id: z.string().optional(),
  model_id: z.string().optional(),
  /** Administrators only; ignored for other users, who see their own. */
  user_id: idText.optional(),
  ...pageFields,
});

export function decisionRoutes({ decisions, deps }: RoutingParts): Route[] {
  return [
    defineRoute({
      ...routing,
      method: 'get',
      path: '/api/routing/decisions',
      summary: 'List routing decisions with their reasons, newest first; administrators see those of all users',
      auth: 'session',
      query,
      answers: { 200: listed({ decisions: z.array(decisionSchema) }) },
      handle: async (call) => {
        const { page, page_size } = call.query;
        const { user, administers } = call.principal;
        const userId = administers ? call.query.user_id : user.id;
        const filter: DecisionFilter = {
          ...(userId !== undefined && { userId }),
          ...(call.query.request_id && { requestId: call.query.request_id }),
          ...(call.query.parent_request_id && { parentRequestId: call.query.parent_request_id }),
          ...(call.query.model_id && { modelId: call.query.model_id }),
        };
        // Include what this process still buffers: people look right after their request.
        await decisions.flush();
        const found = await listDecisions(deps.db, filter, rangeOf(call.query));
        return ok(call, { decisions: found.rows.map(viewDecision), total: found.total, page, page_size });
      },
    }),
  ];
}
