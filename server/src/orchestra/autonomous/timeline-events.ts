import type { EventName, RunEvents } from './events.ts';
import type { TimelineEvent } from './store/timeline.ts';
import { type Noted, shortened } from './timeline-calls.ts';
import { type Entry, noEntry } from './timeline-views.ts';

type Shown = Pick<Entry, 'kind' | 'what'> & Partial<Entry>;
type Tellers = { [E in EventName]?: (data: RunEvents[E], calls: Map<string, Noted>, at: number) => Shown };

const percent = (share: number): string => `${Math.round(share * 100)} %`;

interface ToolCall {
  task_id: string;
  tool_call_id: string;
  name: string;
  arguments: string;
}

const toolCall =
  (kind: 'tool_call' | 'approval') =>
  (call: ToolCall, calls: Map<string, Noted>, at: number): Shown => {
    const { begun = at, ended, output = null } = calls.get(call.tool_call_id) ?? {};
    return {
      kind,
      what: call.name,
      task_id: call.task_id,
      detail: shortened(call.arguments),
      output,
      status: ended === undefined ? 'open' : 'ended',
      duration_ms: ended === undefined ? null : Math.max(0, ended - begun) * 1000,
    };
  };

/** The events that appear in the timeline. The end of a tool call is taken from the journal instead. */
const tellers: Tellers = {
  execution_started: ({ plan, resumed_from }) => ({
    kind: 'start',
    what: resumed_from ? 'resumed' : 'started',
    detail: `${plan.tasks.length} tasks planned`,
  }),
  plan_updated: ({ reason }) => ({ kind: 'decision', what: 'plan_updated', detail: reason }),
  task_redone: ({ task_id, reason }) => ({ kind: 'decision', what: 'task_redone', task_id, detail: reason }),
  task_failed: ({ task_id, error }) => ({ kind: 'decision', what: 'task_failed', task_id, detail: error }),
  model_failover: ({ from, to, why, task_id = null }) => ({
    kind: 'decision',
    what: 'model_failover',
    task_id,
    model: to,
    detail: `instead of ${from}: ${why.replaceAll('_', ' ')}`,
  }),
  task_evaluated: ({ task_id, score, feedback }) => ({
    kind: 'decision',
    what: 'task_evaluated',
    task_id,
    detail: `${percent(score)}: ${feedback}`,
  }),
  progress_update: ({ goal_confidence, iteration }) => ({
    kind: 'decision',
    what: 'progress_update',
    detail: `${percent(goal_confidence)} confident after iteration ${iteration}`,
  }),
  tool_call_started: toolCall('tool_call'),
  approval_requested: toolCall('approval'),
  execution_paused: ({ reason, status }) => ({ kind: 'pause', what: reason, status }),
  execution_completed: ({ goal_confidence }) => ({
    kind: 'end',
    what: 'completed',
    detail: `${percent(goal_confidence)} confident`,
  }),
  error: ({ message }) => ({ kind: 'end', what: 'failed', detail: message }),
};
export const describedEvents = Object.keys(tellers) as EventName[];

export function describeEvent({ event, data, created_at }: TimelineEvent, calls: Map<string, Noted>): Entry {
  const tell = tellers[event as EventName] as (data: unknown, calls: Map<string, Noted>, at: number) => Shown;
  const shown = tell(JSON.parse(data), calls, created_at);
  return { ...noEntry, at: created_at, ...shown, detail: shown.detail == null ? null : shortened(shown.detail) };
}
