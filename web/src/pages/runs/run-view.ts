/**
 * Reduces the events of a run to a view. Pure: the page replays events, so the same events must always give the same
 * view.
 */
import { type LogLine, lineOf } from './event-lines.ts';
import type { Progress, RunEvent, TaskOverview } from './run-events.ts';

export type TaskStatus = 'pending' | 'running' | 'retrying' | 'completed' | 'failed' | 'skipped';

export interface TaskView {
  id: string;
  title: string;
  difficulty: string;
  dependsOn: string[];
  status: TaskStatus;
  model?: string;
  attempt: number;
  output: string;
  /** The current activity. */
  note?: string;
  tokens?: number;
  elapsedMs?: number;
  score?: number;
  feedback?: string;
  error?: string;
}

export interface RunView {
  lastId: number;
  /** Null until the first event. */
  status: string | null;
  planDescription: string;
  revision: number;
  tasks: TaskView[];
  progress: Progress | null;
  result: string | null;
  log: LogLine[];
}

export const emptyView: RunView = {
  lastId: 0,
  status: null,
  planDescription: '',
  revision: 0,
  tasks: [],
  progress: null,
  result: null,
  log: [],
};

/** Upper bound on log lines; more would slow down the page. */
const mostLines = 1_000;

export const newTask = ({ task_id, title, difficulty, depends_on }: TaskOverview): TaskView => ({
  id: task_id,
  title,
  difficulty,
  dependsOn: depends_on,
  status: 'pending',
  attempt: 0,
  output: '',
});

/** Applies a revised plan; tasks that remain keep their state. */
const planned = (before: TaskView[], tasks: TaskOverview[]): TaskView[] => {
  const known = new Map(before.map((task) => [task.id, task]));
  return tasks.map((task) => {
    const { title, difficulty, dependsOn, ...fresh } = newTask(task);
    return { ...fresh, ...known.get(task.task_id), title, difficulty, dependsOn };
  });
};

const changed = (tasks: TaskView[], id: string, change: (task: TaskView) => Partial<TaskView>): TaskView[] =>
  tasks.map((task) => (task.id === id ? { ...task, ...change(task) } : task));

/** The run has stopped: tasks that were running are pending until a resume. */
const halted = (tasks: TaskView[]): TaskView[] =>
  tasks.map((task) =>
    task.status === 'running' || task.status === 'retrying' ? { ...task, status: 'pending', note: undefined } : task,
  );

function tasksAfter(tasks: TaskView[], event: RunEvent): TaskView[] {
  switch (event.event_type) {
    case 'execution_started':
      // Failed tasks are retried after a resume.
      return planned(tasks, event.plan.tasks).map((task) =>
        task.status === 'failed' ? { ...task, status: 'pending', error: undefined } : task,
      );
    case 'plan_updated':
      return planned(tasks, event.tasks);
    case 'task_started': {
      const { title, model, difficulty, attempt } = event;
      const begun = { title, model, difficulty, attempt, status: 'running', output: '', error: undefined } as const;
      return changed(tasks, event.task_id, () => ({
        ...begun,
        note: undefined,
        score: undefined,
        feedback: undefined,
      }));
    }
    case 'task_progress':
      return changed(tasks, event.task_id, () => ({ note: event.message }));
    case 'task_content_chunk':
      return changed(tasks, event.task_id, ({ output }) => ({ output: output + event.content }));
    case 'task_completed':
      return changed(tasks, event.task_id, ({ output }) => ({
        status: 'completed',
        tokens: event.tokens_used,
        elapsedMs: event.execution_time_ms,
        attempt: event.attempt,
        output: output || event.result_preview,
        note: undefined,
      }));
    case 'task_failed':
      return changed(tasks, event.task_id, () => ({
        status: event.will_retry ? 'retrying' : 'failed',
        error: event.error,
        attempt: event.attempt,
        note: undefined,
      }));
    case 'task_evaluated':
      return changed(tasks, event.task_id, () => ({ score: event.score, feedback: event.feedback, note: undefined }));
    case 'execution_completed':
    case 'execution_paused':
    case 'error':
      return halted(tasks);
    default:
      return tasks;
  }
}

function factsAfter(view: RunView, event: RunEvent): Partial<RunView> {
  switch (event.event_type) {
    case 'execution_started':
      return { status: 'running', planDescription: event.plan.description, revision: Math.max(view.revision, 1) };
    case 'plan_updated':
      return { revision: event.revision };
    case 'progress_update':
      return { progress: event };
    case 'execution_completed':
      return { status: 'completed', result: event.result };
    case 'execution_paused':
      return { status: event.status };
    case 'error':
      return { status: 'failed' };
    default:
      return {};
  }
}

/** Ignores events that were already applied: after a reconnect some may arrive twice. */
export function withEvent(view: RunView, id: number, event: RunEvent): RunView {
  if (id <= view.lastId) return view;
  const line = lineOf(id, event, view.tasks);
  return {
    ...view,
    ...factsAfter(view, event),
    lastId: id,
    tasks: tasksAfter(view.tasks, event),
    log: line ? [...view.log.slice(-mostLines), line] : view.log,
  };
}
