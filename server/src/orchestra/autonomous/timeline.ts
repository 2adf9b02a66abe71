import { listUsage, type UsageLog, type UsagePlace } from '../../billing/store/usage.ts';
import { quotaToUsd } from '../../lib/money.ts';
import { table } from '../../lib/table.ts';
import type { Db } from '../../platform/db/tables.ts';
import type { Run } from './store/runs.ts';
import { eventsBefore, type TimelineEvent } from './store/timeline.ts';
import { callsOf } from './timeline-calls.ts';
import { describedEvents, describeEvent } from './timeline-events.ts';
import { type Entry, noEntry, type Sums, type TaskSum } from './timeline-views.ts';

/** Where a page ends, in the events and in the usage logs: `[seq, created_at, id]`. */
type Place = readonly [number, number, number];
const newest: Place = [Number.MAX_SAFE_INTEGER, 9_999_999_999, 0];

/** Sums cover at most about this many calls of a run. */
const mostSummed = 10_000;
const batch = 1_000;

/** The history of a run, newest first: its events merged with its model calls. */
export async function timelineOf(db: Db, run: Run, from: readonly number[] | undefined, limit: number) {
  const place = (from ?? newest) as Place;
  const filter = filterOf(run);
  const before = { created_at: place[1], id: place[2] };
  const logs = await listUsage(db, filter, { limit: limit + 1, before });
  const events = await eventsBefore(db, run, describedEvents, place[0], limit + 1);
  const { taken, next } = merged(events, logs, place, limit);
  const titles = new Map(run.state.tasks.map(({ id, title }) => [id, title]));
  const calls = await callsOf(db, run.ref, taken);
  const entries = taken.flatMap((one) => {
    if ('seq' in one) return [describeEvent(one, calls)];
    return isFreeToolCall(one) ? [] : [modelCall(run, one)];
  });
  return {
    entries: entries.map((entry): Entry => ({ ...entry, title: titles.get(entry.task_id ?? '') ?? null })),
    sums: from ? null : await sumsOf(db, run, titles),
    next,
  };
}

/** Tool calls appear as events; their usage is shown only if it cost something. */
const isToolCall = ({ endpoint }: UsageLog): boolean => endpoint === '/mcp';
const isFreeToolCall = (log: UsageLog): boolean => isToolCall(log) && log.quota === 0;

const filterOf = ({ caller: { userId }, executionId }: Run) => ({ userId, parentRequestId: executionId });

/** Both lists are newest first. Within a second, a model call precedes the events it led to, but follows a resume. */
function merged(events: TimelineEvent[], logs: UsageLog[], from: Place, limit: number) {
  const taken: (TimelineEvent | UsageLog)[] = [];
  let [e, l] = [0, 0];
  while (taken.length < limit && (e < events.length || l < logs.length)) {
    const [event, log] = [events[e], logs[l]];
    if (
      event &&
      (!log || event.created_at > log.created_at || (event.created_at === log.created_at && !resumes(event)))
    ) {
      taken.push(event);
      e += 1;
    } else {
      taken.push(log!);
      l += 1;
    }
  }
  const seq = e > 0 ? events[e - 1]!.seq : from[0];
  const log = l > 0 ? logs[l - 1]! : { created_at: from[1], id: from[2] };
  const more = e < events.length || l < logs.length;
  return { taken, next: more ? [seq, log.created_at, log.id] : null };
}

const resumes = ({ event, data }: TimelineEvent): boolean =>
  event === 'execution_started' && data.includes('"resumed_from"');

/** Steps that belong to a task, and the purpose shown for their model calls. */
const purposes = table<string>({ task: 'task', eval: 'evaluation', short: 'shortening' });

/**
 * A request id consists of run, turn, step, call and epoch, plus another part if the model rejected the first request
 * as too long.
 */
export function servedBy(executionId: string, requestId: string): { what: string; task_id: string | null } {
  const step = requestId.startsWith(`${executionId}:`) ? requestId.slice(executionId.length + 1) : '';
  const task = /^\d+\.(task|eval|short):(.+?)(?::\d+){3,4}$/s.exec(step);
  if (task) return { what: purposes[task[1]!]!, task_id: task[2]! };
  return { what: /^\d+\.([a-z]+)/.exec(step)?.[1] ?? 'memory', task_id: null };
}

const modelCall = (run: Run, log: UsageLog): Entry => ({
  ...noEntry,
  kind: 'model_call',
  at: log.created_at,
  ...(isToolCall(log) ? { what: 'tool', task_id: null } : servedBy(run.executionId, log.request_id)),
  status: log.status,
  model: log.model_id,
  duration_ms: log.duration_ms,
  prompt_tokens: log.prompt_tokens,
  completion_tokens: log.completion_tokens,
  cost: quotaToUsd(log.quota),
  quota: log.quota,
  request_id: log.request_id,
});

const nothing = () => ({ calls: 0, prompt_tokens: 0, completion_tokens: 0, duration_ms: 0, cost: 0, quota: 0 });

function addTo(sum: ReturnType<typeof nothing>, log: UsageLog): void {
  sum.calls += 1;
  sum.prompt_tokens += log.prompt_tokens;
  sum.completion_tokens += log.completion_tokens;
  sum.duration_ms += log.duration_ms;
  sum.quota += log.quota;
  sum.cost = quotaToUsd(sum.quota);
}

async function sumsOf(db: Db, run: Run, titles: Map<string, string>): Promise<Sums> {
  const whole = nothing();
  const tasks = new Map<string | null, TaskSum>(
    [...titles].map(([id, title]) => [id, { task_id: id, title, ...nothing() }]),
  );
  let before: UsagePlace | undefined;
  let complete = false;
  while (!complete && whole.calls < mostSummed) {
    const logs = await listUsage(db, filterOf(run), { limit: batch, before });
    for (const log of logs.filter((one) => !isFreeToolCall(one))) {
      const { task_id } = servedBy(run.executionId, log.request_id);
      const task = tasks.get(task_id) ?? { task_id, title: null, ...nothing() };
      tasks.set(task_id, task);
      addTo(whole, log);
      addTo(task, log);
    }
    before = logs.at(-1);
    complete = logs.length < batch;
  }
  return { run: whole, tasks: [...tasks.values()].filter(({ calls }) => calls > 0), complete };
}
