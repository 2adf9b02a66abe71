/** The messages of a chat, and how they become a request. */
import type { ToolCall } from '../../components/tool-call.tsx';

/** What the orchestration model reports about its work (`svc_ms_meta`). */
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

/** One of the models that answer side by side. User messages go to all columns; answers belong to one. */
export interface Column {
  id: string;
  /** The model for the next request; empty until one is chosen. */
  model: string;
}

export interface UserEntry {
  id: string;
  role: 'user';
  content: string;
  /** Data URLs. */
  images: string[];
  /** Number of images that were sent, but were too large to store. */
  imagesLeftOut?: number;
}

export interface ToolEntry {
  id: string;
  role: 'tool';
  column: string;
  toolCallId: string;
  name: string;
  content: string;
}

export interface AnswerEntry {
  id: string;
  role: 'assistant';
  column: string;
  model: string;
  content: string;
  reasoning: string;
  toolCalls: ToolCall[];
  state: 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';
  finishReason: string | null;
  error: Error | null;
  meta: PlanMeta | null;
  stats: AnswerStats;
  /** The request that produced the answer, for copying. */
  request: Record<string, unknown>;
}

export type Entry = UserEntry | ToolEntry | AnswerEntry;

export const isRunning = ({ state }: AnswerEntry): boolean => state === 'waiting' || state === 'streaming';

export const newAnswer = (id: string, column: Column, request: Record<string, unknown>): AnswerEntry => ({
  id,
  role: 'assistant',
  column: column.id,
  model: column.model,
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

/** The history of one column: all user messages, and the column's own answers and tool results. */
export const entriesOf = (entries: Entry[], column: string): Entry[] =>
  entries.filter((entry) => entry.role === 'user' || entry.column === column);

/** A user message and everything that followed it. */
export interface Turn {
  said: UserEntry;
  after: (ToolEntry | AnswerEntry)[];
}

export function turnsOf(entries: Entry[]): Turn[] {
  const turns: Turn[] = [];
  for (const entry of entries) {
    if (entry.role === 'user') turns.push({ said: entry, after: [] });
    else turns.at(-1)?.after.push(entry);
  }
  return turns;
}

/**
 * Stands in for a message that had only images, which were not stored: providers reject empty messages. Not translated,
 * because models read it.
 */
const pictureGone = '(a picture that is no longer there)';

const userContent = ({ content, images, imagesLeftOut = 0 }: UserEntry): unknown =>
  images.length === 0
    ? content || (imagesLeftOut > 0 ? pictureGone : '')
    : [{ type: 'text', text: content }, ...images.map((url) => ({ type: 'image_url', image_url: { url } }))];

const toolCallOf = ({ id, name, arguments: args }: ToolCall) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

/**
 * The messages in API format. Empty answers and tool calls without a result are left out, because providers reject
 * them.
 */
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

/** Tool calls of the last answer that have no result yet. */
export function openCalls(entries: Entry[]): ToolCall[] {
  const last = entries.findLast((entry) => entry.role === 'assistant');
  if (last?.state !== 'done') return [];
  const after = entries.slice(entries.indexOf(last) + 1);
  return after.some(({ role }) => role !== 'tool') ? [] : last.toolCalls;
}

/** The session id that the orchestration model assigned to this conversation. */
export const sessionOf = (entries: Entry[]): string | undefined =>
  entries.findLast((entry): entry is AnswerEntry => entry.role === 'assistant' && entry.meta !== null)?.meta
    ?.session_id;
