import { randomString } from '../../lib/ids.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { ConnectedNames } from '../connected-names.ts';
import type { ChatMessage, ToolCall } from '../messages.ts';
import type { PlanTask } from '../plan.ts';
import type { TaskState } from '../task/escalate.ts';
import './tables.ts';

export type PlanStatus = 'pending' | 'running' | 'completed' | 'failed' | 'waiting_for_tools' | 'abandoned';

/** The result of one task. */
export type TaskResult =
  | { status: 'completed'; text: string; model: string; finishReason: string }
  /** `finishReason` tells how the text ended. */
  | { status: 'failed'; text: string | null; error: string; model: string | null; finishReason?: string }
  | { status: 'waiting_for_tools'; paused: PausedTask };

/** A task that waits for the client's tools, with everything needed to resume it. */
export interface PausedTask extends TaskState {
  messages: ChatMessage[];
  /** The assistant message with the calls; ids as sent to the client. */
  call: ChatMessage;
  model: string;
}

export interface PlanState {
  description: string;
  single: boolean;
  /** The user message that the plan is for. */
  request: ChatMessage;
  tasks: PlanTask[];
  results: Record<string, TaskResult>;
  /** The client's tools, in case it does not send them again. */
  tools: unknown[];
  /** Tools of connected servers that tasks may use. */
  connected?: ConnectedNames | undefined;
}

/** The calls of the client's tools that tasks are waiting for. */
export const openCalls = ({ tasks, results }: Pick<PlanState, 'tasks' | 'results'>): ToolCall[] =>
  tasks.flatMap(({ id }) => {
    const result = results[id];
    return result?.status === 'waiting_for_tools' ? (result.paused.call.tool_calls ?? []) : [];
  });

export interface StoredPlan {
  ref: number;
  planId: string;
  sessionRef: number;
  status: PlanStatus;
  state: PlanState;
  createdAt: number;
}

/** A plan whose process died stops being active after this. */
const runningSeconds = 3600;
/** How long the client's tools may take. */
const waitingSeconds = 86_400;

export const newPlanId = (): string => `plan-${randomString(20)}`;

/** Null if the session was deleted meanwhile. */
export async function addPlan(
  db: Db,
  plan: { planId: string; userId: number; sessionRef: number; state: PlanState },
  now: number,
): Promise<number | null> {
  const row = await db
    .insertInto('ms_plans')
    .columns(['plan_id', 'user_id', 'session_ref', 'status', 'state', 'created_at', 'updated_at', 'expires_at'])
    .expression((eb) =>
      eb
        .selectFrom('ms_sessions')
        .select([
          eb.cast<string>(eb.val(plan.planId), 'text').as('plan_id'),
          'user_id',
          'id as session_ref',
          eb.cast<string>(eb.val('running'), 'text').as('status'),
          eb.cast<string>(eb.val(JSON.stringify(plan.state)), 'text').as('state'),
          eb.cast<number>(eb.val(now), 'bigint').as('created_at'),
          eb.cast<number>(eb.val(now), 'bigint').as('updated_at'),
          eb.cast<number>(eb.val(now + runningSeconds), 'bigint').as('expires_at'),
        ])
        .where('id', '=', plan.sessionRef)
        .where('user_id', '=', plan.userId),
    )
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Saves the plan's state; while it waits, its open calls are stored, so that their results lead back to it. */
export async function savePlan(
  db: Db,
  plan: { ref: number; userId: number; status: PlanStatus; state: PlanState; openCalls: string[] },
  now: number,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const expires = now + (plan.status === 'waiting_for_tools' ? waitingSeconds : runningSeconds);
    const saved = await tx
      .updateTable('ms_plans')
      .set({ status: plan.status, state: JSON.stringify(plan.state), updated_at: now, expires_at: expires })
      .where('id', '=', plan.ref)
      .returning('id')
      .executeTakeFirst();
    if (!saved) return;
    await tx.deleteFrom('ms_tool_calls').where('plan_ref', '=', plan.ref).execute();
    const calls = plan.openCalls.map((id) => ({ user_id: plan.userId, tool_call_id: id, plan_ref: plan.ref }));
    if (calls.length > 0) await tx.insertInto('ms_tool_calls').values(calls).execute();
  });
}

/** The waiting plan that one of these calls belongs to, if it has not expired (a day). */
export async function planOfCalls(db: Db, userId: number, calls: string[], now: number): Promise<StoredPlan | null> {
  if (calls.length === 0) return null;
  const row = await db
    .selectFrom('ms_tool_calls')
    .innerJoin('ms_plans', 'ms_plans.id', 'ms_tool_calls.plan_ref')
    .selectAll('ms_plans')
    .where('ms_tool_calls.user_id', '=', userId)
    .where('ms_tool_calls.tool_call_id', 'in', calls)
    .where('ms_plans.status', '=', 'waiting_for_tools')
    .where('ms_plans.expires_at', '>', now)
    .limit(1)
    .executeTakeFirst();
  return row ? toPlan(row) : null;
}

/** The most plans that are looked through for a client that names no call. */
const mostWaiting = 20;

/** The user's waiting plans, the newest first. */
export async function waitingPlans(db: Db, userId: number, now: number): Promise<number[]> {
  const rows = await db
    .selectFrom('ms_plans')
    .select('id')
    .where('id', 'in', (eb) => eb.selectFrom('ms_tool_calls').select('plan_ref').where('user_id', '=', userId))
    .where('status', '=', 'waiting_for_tools')
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
    .limit(mostWaiting)
    .execute();
  return rows.map(({ id }) => id);
}

export async function waitingPlan(db: Db, ref: number): Promise<StoredPlan | null> {
  const waiting = db.selectFrom('ms_plans').selectAll().where('id', '=', ref);
  const row = await waiting.where('status', '=', 'waiting_for_tools').executeTakeFirst();
  return row ? toPlan(row) : null;
}

export async function activePlan(db: Db, sessionRef: number, now: number): Promise<StoredPlan | null> {
  const row = await db
    .selectFrom('ms_plans')
    .selectAll()
    .where('session_ref', '=', sessionRef)
    .where('status', 'in', ['pending', 'running', 'waiting_for_tools'])
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? toPlan(row) : null;
}

/** A new user message abandons the session's unfinished plans. */
export async function abandonPlans(db: Db, sessionRef: number, now: number): Promise<void> {
  await db
    .updateTable('ms_plans')
    .set({ status: 'abandoned', updated_at: now })
    .where('session_ref', '=', sessionRef)
    .where('status', 'in', ['running', 'waiting_for_tools'])
    .execute();
}

/** Plans contain whole transcripts: they are deleted a day after they expire, a bounded number at a time. */
export async function sweepPlans(db: Db, now: number, limit = 500): Promise<number> {
  const old = await db
    .selectFrom('ms_plans')
    .select('id')
    .where('expires_at', '<', now - waitingSeconds)
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const ids = old.map(({ id }) => id);
  await db.deleteFrom('ms_plans').where('id', 'in', ids).execute();
  return ids.length;
}

const toPlan = (row: {
  id: number;
  plan_id: string;
  session_ref: number;
  status: string;
  state: string;
  created_at: number;
}): StoredPlan => ({
  ref: row.id,
  planId: row.plan_id,
  sessionRef: row.session_ref,
  status: row.status as PlanStatus,
  state: JSON.parse(row.state) as PlanState,
  createdAt: row.created_at,
});
