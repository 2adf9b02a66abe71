import { nowSeconds } from '../../lib/clock.ts';
import type { ConnectedTool } from '../../lib/connected-tools.ts';
import { quotaPerUsd } from '../../lib/money.ts';
import { namedSessionId } from '../application-memory.ts';
import { modelOf, sendFitted } from '../fit-window.ts';
import type { ChatMessage, StoredTurnMessage } from '../messages.ts';
import type { Choice, Choosing } from '../models.ts';
import type { Caller, Charged, CompleteAnswer, CompleteRequest, Deps } from '../ports.ts';
import type { Fence } from '../prompts/fence.ts';
import type { Settings } from '../settings.ts';
import type { Outcome } from '../store/patterns.ts';
import type { StoredPlan } from '../store/plans.ts';
import type { Session } from '../store/sessions.ts';
import { type Failover, tryModels } from '../task/failover.ts';
import type { CountText } from '../tokens.ts';
import { yieldToEventLoop } from '../work-slices.ts';
import { type ChatBody, callParams } from './body.ts';
import type { Meta } from './meta.ts';
import type { Meter } from './meter.ts';
import type { Writer } from './writer.ts';

/** The state of one turn, passed from step to step. */
export interface Turn {
  deps: Deps;
  caller: Caller;
  signal: AbortSignal;
  body: ChatBody;
  settings: Settings;
  session: Session;
  choosing: Choosing;
  /** Models that are not chosen from, because the request does not fit their window. */
  tooSmall: string[];
  fence: Fence;
  count: CountText;
  meter: Meter;
  writer: Writer;
  progress: Progress;
  /** The conversation, oldest first, including the messages of this request. */
  history: StoredTurnMessage[];
  /** Ids of this request's messages that are to be indexed. */
  freshIds: number[];
  /** The user's message that this turn answers. */
  request: ChatMessage;
  /** The plan that this request's tool results belong to. */
  resumed: StoredPlan | null;
  outcomes: Outcome[];
  /** Tools of connected servers that the turn may use. */
  connected: readonly ConnectedTool[];
  /** Error of the last failed task, thrown if there is no other answer. */
  lastError?: unknown;
  startedMs: number;
  release(): Promise<void>;
}

/** The values of `svc_ms_meta`, updated during the turn. */
export interface Progress {
  planId: string | null;
  planDescription: string | null;
  currentTask: string | null;
  status: 'pending' | 'running' | 'completed' | 'failed' | 'waiting_for_tools';
  completed: number;
  failed: number;
  total: number;
  tokensSaved: number;
  contextTokens: number;
  recalled: number;
  summaryUpdated: boolean;
}

export const newProgress = (): Progress => ({
  planId: null,
  planDescription: null,
  currentTask: null,
  status: 'pending',
  completed: 0,
  failed: 0,
  total: 0,
  tokensSaved: 0,
  contextTokens: 0,
  recalled: 0,
  summaryUpdated: false,
});

/** The state of the turn as reported to the client. */
export const metaOf = ({ caller, session, settings, meter, progress, deps, startedMs }: Turn): Meta => ({
  request_id: caller.parentRequestId ?? '',
  session_id: namedSessionId(caller, session.sessionId),
  plan_id: progress.planId,
  plan_description: progress.planDescription,
  current_task: progress.currentTask,
  task_status: progress.status,
  tasks_completed: progress.completed,
  tasks_total: progress.total,
  tasks_failed: progress.failed,
  total_model_calls: meter.calls,
  cost: meter.cost / quotaPerUsd,
  background_calls: meter.background,
  models_used: { ...meter.models },
  failovers: [...meter.failovers],
  memory_mode: settings.memory_mode,
  memory_tokens_saved: progress.tokensSaved,
  context_tokens_used: progress.contextTokens,
  execution_time_ms: deps.clock.steadyMs() - startedMs,
  vector_search_results: progress.recalled,
  summary_updated: progress.summaryUpdated,
});

export const now = (turn: Pick<Turn, 'deps'>): number => nowSeconds(turn.deps.clock);

type Asking = Pick<Turn, 'deps' | 'caller' | 'choosing' | 'meter' | 'signal'> & Partial<Pick<Turn, 'body'>>;
type Call = Pick<CompleteRequest, 'messages' | 'params'> & Partial<CompleteRequest>;

/** Makes one model call of the turn, fitted to the model's window and metered. */
export async function ask(turn: Asking, call: Call & { model: string }): Promise<CompleteAnswer> {
  await yieldToEventLoop();
  const params = { ...(turn.body && callParams(turn.body)), ...call.params };
  const onBroken = ({ usage, cost }: Charged) => turn.meter.note(call.model, usage, cost);
  const request = { stream: false, signal: turn.signal, onBroken, ...turn.caller, ...call, params };
  const answer = await sendFitted(modelOf(turn.choosing, call.model), request, turn.deps.complete);
  turn.meter.note(call.model, answer.usage, answer.cost);
  return answer;
}

/** Asks the chosen model, or the next best one that answers. Null if there is no model. */
export const askChosen = (
  turn: Asking & Pick<Turn, 'writer'>,
  choose: (choosing: Choosing) => Choice | null,
  call: Call,
): Promise<CompleteAnswer | null> =>
  tryModels(turn.choosing, {
    choose,
    ask: (model, failover) => ask(turn, { ...call, model, ...(failover && { insteadOf: failover.from }) }),
    failedOver: (failover) => failedOver(turn, failover),
  });

export function failedOver({ meter, writer }: Pick<Turn, 'meter' | 'writer'>, failover: Failover): void {
  meter.failovers.push(failover);
  writer.think(`${failover.to} is used instead of ${failover.from} (${failover.why.replaceAll('_', ' ')}).`);
}
