import { askShaped } from '../ask-shaped.ts';
import { textOf } from '../messages.ts';
import { choosePlanModel } from '../models.ts';
import { asDirect, makePlan, type Plan, planShape, singleTaskPlan } from '../plan.ts';
import type { CallParams } from '../ports.ts';
import { plannerMessages } from '../prompts/plan.ts';
import { addPlan, newPlanId, type PlanState, type TaskResult } from '../store/plans.ts';
import { triage } from '../triage.ts';
import { clientTools, forcedTool, toolNames, trailingResults } from './body.ts';
import type { Remembering } from './remember.ts';
import { askChosen, metaOf, now, type Turn } from './turn.ts';

export interface RunningPlan extends PlanState {
  planId: string;
  /** Row id; null if the session was deleted and nothing is stored. */
  ref: number | null;
}

/** Step 4: one task, or a plan made by the plan model. Never fails because of the planner. */
export async function planTurn(turn: Turn, memory: Remembering): Promise<RunningPlan> {
  if (turn.resumed) return announce(turn, resume(turn));
  const text = textOf(turn.request);
  const sorted = triage(text, turn.choosing.patterns);
  const difficulty = turn.settings.task_difficulty ?? sorted.difficulty;
  turn.writer.think(`${sorted.reasons.join('; ')}.`);
  const direct = singleTaskPlan(text, difficulty);
  const single = sorted.single || mustBeSingle(turn);
  const planned = single ? direct : await plannedBy(turn, memory, text, direct);
  const plan = sorted.unsure ? asDirect(planned, direct) : planned;
  if (turn.settings.task_difficulty) for (const task of plan.tasks) task.difficulty = difficulty;
  const state: PlanState = {
    description: plan.description,
    single: plan === direct,
    request: turn.request,
    tasks: plan.tasks,
    results: {},
    tools: clientTools(turn.body, turn.settings),
    connected: turn.settings.connected_tools,
  };
  const planId = newPlanId();
  const { userId } = turn.caller;
  const ref = await addPlan(turn.deps.db, { planId, userId, sessionRef: turn.session.ref, state }, now(turn));
  return announce(turn, { ...state, planId, ref });
}

/**
 * If the client forces a tool, or sends results for a plan that is no longer known, the model must see exactly that.
 */
function mustBeSingle({ body, settings }: Turn): boolean {
  const forced = forcedTool(body, settings) !== null;
  return forced || settings.preferences.max_tasks_per_plan === 1 || trailingResults(body.messages).length > 0;
}

async function plannedBy(turn: Turn, memory: Remembering, request: string, fallback: Plan): Promise<Plan> {
  if (!choosePlanModel(turn.choosing)) return fallback;
  const maxTasks = turn.settings.preferences.max_tasks_per_plan;
  const context = [...memory.preamble, ...withoutRequest(turn, memory)];
  const tools = [...toolNames(clientTools(turn.body, turn.settings)), ...turn.connected.map(({ name }) => name)];
  const { plan, faults } = await makePlan(
    async (last) => {
      const messages = plannerMessages({ request, context, maxTasks, tools, last });
      const ask = (params: CallParams) => askChosen(turn, choosePlanModel, { messages, params });
      return askShaped(ask, planShape(maxTasks));
    },
    { request, maxTasks, fallback, signal: turn.signal, patterns: turn.choosing.patterns },
  );
  for (const fault of faults) turn.writer.think(`Plan refused: ${fault}.`);
  return plan;
}

/** The conversation without the request at its end, for prompts that include the request themselves. */
export function withoutRequest(turn: Turn, { conversation }: Remembering) {
  const last = conversation.at(-1);
  return last?.role === 'user' && textOf(last) === textOf(turn.request) ? conversation.slice(0, -1) : conversation;
}

/** Completed tasks stay completed; waiting ones continue. */
function resume(turn: Turn): RunningPlan {
  const { planId, ref, state } = turn.resumed!;
  const tools = clientTools(turn.body, turn.settings);
  turn.writer.think('Going on with the results of the tools.');
  return { ...state, tools: tools.length > 0 ? tools : state.tools, planId, ref };
}

function announce(turn: Turn, plan: RunningPlan): RunningPlan {
  const { progress, writer } = turn;
  progress.planId = plan.planId;
  progress.planDescription = plan.description;
  progress.total = plan.tasks.length;
  progress.status = 'running';
  tally(turn, plan.results);
  if (!plan.single) {
    writer.think(`Plan: ${plan.description}`);
    for (const { id, title, difficulty, depends_on } of plan.tasks) {
      writer.think(
        `- ${id}: ${title} (${difficulty}${depends_on.length > 0 ? `, after ${depends_on.join(', ')}` : ''})`,
      );
    }
  }
  writer.progress(() => metaOf(turn));
  return plan;
}

export function tally({ progress }: Pick<Turn, 'progress'>, results: Record<string, TaskResult>): void {
  const all = Object.values(results);
  progress.completed = all.filter(({ status }) => status === 'completed').length;
  progress.failed = all.filter(({ status }) => status === 'failed').length;
}
