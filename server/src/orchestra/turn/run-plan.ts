import type { PlanTask } from '../plan.ts';
import { taskMessages } from '../prompts/plan.ts';
import { runGraph } from '../schedule.ts';
import { type PlanStatus, savePlan, type TaskResult } from '../store/plans.ts';
import { kindOf } from '../triage.ts';
import { answerParams, outputLimit, taskParams, toolChoice, trailingResults, wantsJson } from './body.ts';
import { type RunningPlan, tally, withoutRequest } from './plan-turn.ts';
import type { Remembering } from './remember.ts';
import { runTask } from './run-task.ts';
import { metaOf, now, type Turn } from './turn.ts';
import { sectionsBefore } from './verbose.ts';

/** Tasks at once when the user lets tasks run in parallel (contract §12.5). */
const widest = 4;

/** Step 5: runs what is ready until all is done, or a task waits for the client's tools. Results go into the plan. */
export async function runPlan(turn: Turn, memory: Remembering, plan: RunningPlan): Promise<void> {
  const done = Object.entries(plan.results).filter(([, { status }]) => status !== 'waiting_for_tools');
  const answering = answeringTask(plan);
  await runGraph<PlanTask, TaskResult>({
    tasks: plan.tasks,
    width: turn.settings.preferences.enable_parallel_tasks ? widest : 1,
    done: new Map(done),
    signal: turn.signal,
    pausesAfter: ({ status }) => status === 'waiting_for_tools',
    run: async (task, results, signal) => {
      turn.progress.currentTask = task.title;
      turn.writer.progress(() => metaOf(turn));
      const result = await runOne(turn, memory, plan, task, results, task === answering, signal);
      plan.results[task.id] = result;
      tally(turn, plan.results);
      turn.writer.think(`${task.title}: ${result.status.replaceAll('_', ' ')}.`);
      turn.writer.progress(() => metaOf(turn));
      if (plan.tasks.length > 1) await keepPlan(turn, plan, 'running');
      return result;
    },
  });
}

/** The one task that all others lead to: its text is the answer. Null when several end the plan. */
export function answeringTask({ tasks }: Pick<RunningPlan, 'tasks'>): PlanTask | null {
  const needed = new Set(tasks.flatMap(({ depends_on }) => depends_on));
  const ends = tasks.filter(({ id }) => !needed.has(id));
  return ends.length === 1 ? ends[0]! : null;
}

function runOne(
  turn: Turn,
  memory: Remembering,
  plan: RunningPlan,
  task: PlanTask,
  results: ReadonlyMap<string, TaskResult>,
  final: boolean,
  signal: AbortSignal,
): Promise<TaskResult> {
  const { body, settings, writer } = turn;
  const before = plan.results[task.id];
  let begun = false;
  const choice = toolChoice(body, settings);
  return runTask(turn, {
    title: task.title,
    kind: plan.single ? plan.kind : kindOf(task.instruction),
    difficulty: task.difficulty,
    messages: plan.single
      ? [...memory.preamble, ...memory.conversation]
      : taskMessages({
          context: [...memory.preamble, ...withoutRequest(turn, memory)],
          request: turn.request,
          task,
          results: [...results].map(([id, result]) => told(plan, id, result)),
          final,
          fence: turn.fence,
        }),
    params: {
      ...(final ? answerParams(body, settings) : taskParams(body, settings)),
      ...(plan.tools.length > 0 && choice !== undefined && choice !== null && { tool_choice: choice }),
    },
    tools: plan.tools,
    wantsJson: final && wantsJson(body),
    limited: outputLimit(body, settings) !== undefined,
    say: final
      ? (text) => {
          if (!begun && !wantsJson(body)) writer.say(sectionsBefore(settings, plan, task));
          begun = true;
          writer.say(text);
        }
      : null,
    paused:
      before?.status === 'waiting_for_tools'
        ? { task: before.paused, results: resultsFor(turn, before.paused.call.tool_calls ?? []) }
        : null,
    signal,
  });
}

function resultsFor({ body }: Turn, calls: { id: string }[]) {
  const wanted = new Set(calls.map(({ id }) => id));
  return trailingResults(body.messages).filter(({ tool_call_id }) => wanted.has(tool_call_id ?? ''));
}

/** A result in words for the tasks that need it and for the synthesis. */
export function told(plan: RunningPlan, id: string, result: TaskResult) {
  const title = plan.tasks.find((task) => task.id === id)?.title ?? id;
  if (result.status === 'completed') return { title, text: result.text };
  return { title, text: null, error: result.status === 'failed' ? result.error : 'unfinished' };
}

export async function keepPlan(turn: Turn, plan: RunningPlan, status: PlanStatus): Promise<void> {
  const { planId: _id, ref, ...state } = plan;
  if (ref === null) return;
  const openCalls = Object.values(plan.results).flatMap((result) =>
    result.status === 'waiting_for_tools' ? (result.paused.call.tool_calls ?? []).map(({ id }) => id) : [],
  );
  await savePlan(turn.deps.db, { ref, userId: turn.caller.userId, status, state, openCalls }, now(turn));
}
