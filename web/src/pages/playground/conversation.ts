/** What was said in the playground, and how it becomes a request. */
import type { ToolCall } from '../../components/tool-call.tsx';

/** What the orchestration model tells about its work (`svc_ms_meta`). */
export interface PlanMeta {
  session_id: string;
  plan_description?: string | null;
  current_task?: string | null;
  task_status?: string;
  tasks_completed?: number;
  tasks_total?: number;
  tasks_failed?: number;
  total_model_calls?: number;
  models_used?: Record<string, number>;
  memory_mode?: string;
  memory_tokens_saved?: number;
  context_tokens_used?: number;
  execution_time_ms?: number;
  vector_search_results?: number;
  summary_updated?: boolean;
}

export interface AnswerStats {
  latencyMs?: number;
  firstTokenMs?: number;
  promptTokens?: number;
  completionTokens?: number;
  /** Quota units. */
  cost?: number;
  provider?: string;
  requestId?: string;
}

export interface UserEntry {
  id: string;
  role: 'user';
  content: string;
  /** Data URLs. */
  images: string[];
}

export interface ToolEntry {
  id: string;
  role: 'tool';
  toolCallId: string;
  name: string;
  content: string;
}

export interface AnswerEntry {
  id: string;
  role: 'assistant';
  model: string;
  content: string;
  reasoning: string;
  toolCalls: ToolCall[];
  state: 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';
  finishReason: string | null;
  error: Error | null;
  meta: PlanMeta | null;
  stats: AnswerStats;
  /** The request that gave it, for copying. */
  request: Record<string, unknown>;
}

export type Entry = UserEntry | ToolEntry | AnswerEntry;

export const isRunning = ({ state }: AnswerEntry): boolean => state === 'waiting' || state === 'streaming';

export const newAnswer = (id: string, model: string, request: Record<string, unknown>): AnswerEntry => ({
  id,
  role: 'assistant',
  model,
  content: '',
  reasoning: '',
  toolCalls: [],
  state: 'waiting',
  finishReason: null,
  error: null,
  meta: null,
  stats: {},
  request,
});

const userContent = ({ content, images }: UserEntry): unknown =>
  images.length === 0
    ? content
    : [{ type: 'text', text: content }, ...images.map((url) => ({ type: 'image_url', image_url: { url } }))];

const toolCallOf = ({ id, name, arguments: args }: ToolCall) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

/** The messages as the API takes them, without what providers refuse: empty answers and tool calls without a result. */
export function messagesOf(entries: Entry[], system: string): Record<string, unknown>[] {
  const answered = new Set(entries.flatMap((entry) => (entry.role === 'tool' ? [entry.toolCallId] : [])));
  const said = entries.flatMap((entry): Record<string, unknown>[] => {
    if (entry.role === 'user') return [{ role: 'user', content: userContent(entry) }];
    if (entry.role === 'tool') return [{ role: 'tool', tool_call_id: entry.toolCallId, content: entry.content }];
    const calls = entry.toolCalls.filter(({ id }) => answered.has(id)).map(toolCallOf);
    if (entry.content === '' && calls.length === 0) return [];
    return [{ role: 'assistant', content: entry.content, ...(calls.length > 0 && { tool_calls: calls }) }];
  });
  return system.trim() === '' ? said : [{ role: 'system', content: system.trim() }, ...said];
}

/** Calls of the last answer that nobody has answered yet. */
export function openCalls(entries: Entry[]): ToolCall[] {
  const last = entries.findLast((entry) => entry.role === 'assistant');
  if (last?.state !== 'done') return [];
  const after = entries.slice(entries.indexOf(last) + 1);
  return after.some(({ role }) => role !== 'tool') ? [] : last.toolCalls;
}

/** The session that the orchestration model gave this conversation. */
export const sessionOf = (entries: Entry[]): string | undefined =>
  entries.findLast((entry): entry is AnswerEntry => entry.role === 'assistant' && entry.meta !== null)?.meta
    ?.session_id;
