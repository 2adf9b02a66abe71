/** Converts a chat to the form in which the service stores it, and back. */
import { ApiError, type Result } from '../../api.ts';
import {
  type AnswerEntry,
  type AnswerStats,
  type Column,
  type Entry,
  entriesOf,
  isRunning,
  messagesOf,
  type PlanMeta,
  type ToolEntry,
  type UserEntry,
} from './conversation.ts';
import { defaultSettings, type Settings } from './settings.ts';

export interface ChatState {
  columns: Column[];
  settings: Settings;
  entries: Entry[];
}

export type Content = Result<'/api/playground/chats/{chat_id}', 'get'>['content'];
type KeptEntry = Content['entries'][number];
type KeptAnswer = Extract<KeptEntry, { role: 'assistant' }>;

/** The service stores at most this many images per message. */
const mostImages = 20;

/** The service rejects NUL characters anywhere, but a model or a tool may have produced one. */
function withoutNul<T>(value: T): T;
function withoutNul(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '');
  if (Array.isArray(value)) return value.map(withoutNul);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [withoutNul(name), withoutNul(one)]));
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const rounded = (value: number | undefined) => (value === undefined ? undefined : Math.round(value));

const packedStats = (stats: AnswerStats): KeptAnswer['stats'] => ({
  latency_ms: rounded(stats.latencyMs),
  first_token_ms: rounded(stats.firstTokenMs),
  prompt_tokens: rounded(stats.promptTokens),
  completion_tokens: rounded(stats.completionTokens),
  cost: stats.cost,
  provider: stats.provider,
  request_id: stats.requestId,
});

const unpackedStats = (stats: KeptAnswer['stats']): AnswerStats => ({
  latencyMs: stats.latency_ms,
  firstTokenMs: stats.first_token_ms,
  promptTokens: stats.prompt_tokens,
  completionTokens: stats.completion_tokens,
  cost: stats.cost,
  provider: stats.provider,
  requestId: stats.request_id,
});

const systemOf = ({ messages }: Record<string, unknown>): string => {
  const first = (messages as { role: string; content: string }[] | undefined)?.[0];
  return first?.role === 'system' ? first.content : '';
};

/**
 * The request's messages are not stored: they are the entries before the answer. A running answer is stored as stopped,
 * since it ends with the page.
 */
function packedAnswer(answer: AnswerEntry): KeptAnswer {
  const { id, role, column, model, error } = answer;
  const { messages: _, ...request } = answer.request;
  return {
    ...{ id, role, column, model, request },
    content: answer.content,
    reasoning: answer.reasoning,
    tool_calls: answer.toolCalls,
    state: isRunning(answer) ? 'stopped' : (answer.state as KeptAnswer['state']),
    finish_reason: answer.finishReason,
    error: error && {
      status: error instanceof ApiError ? error.status : 0,
      message: error.message,
      request_id: error instanceof ApiError ? error.requestId : null,
    },
    // The plan is stored exactly as the service sent it.
    meta: answer.meta as unknown as KeptAnswer['meta'],
    stats: packedStats(answer.stats),
    system: systemOf(answer.request),
  };
}

function packedEntry(entry: Entry): KeptEntry {
  if (entry.role === 'assistant') return packedAnswer(entry);
  const { id, content } = entry;
  if (entry.role === 'tool') {
    const { role, column, name, toolCallId } = entry;
    return { ...{ id, role, column, name }, tool_call_id: toolCallId, content };
  }
  const images = entry.images.slice(0, mostImages);
  const leftOut = Math.min(mostImages, entry.images.length - images.length + (entry.imagesLeftOut ?? 0));
  return {
    ...{ id, role: entry.role, content },
    ...(images.length > 0 && { images }),
    ...(leftOut > 0 && { images_left_out: leftOut }),
  };
}

export const packed = ({ columns, settings, entries }: ChatState): Content =>
  withoutNul({ columns, settings: { ...settings }, entries: entries.map(packedEntry) });

function unpackedAnswer(kept: KeptAnswer, before: Entry[]): AnswerEntry {
  const { id, role, column, model, content, reasoning, state, error } = kept;
  const { model: asked = model, ...request } = kept.request;
  const messages = messagesOf(entriesOf(before, column), kept.system);
  return {
    ...{ id, role, column, model, content, reasoning, state },
    toolCalls: kept.tool_calls,
    finishReason: kept.finish_reason,
    error: error && new ApiError(error.status, error.message, error.request_id),
    // The service stores any object here; this one was written by this page.
    meta: kept.meta as unknown as PlanMeta | null,
    stats: unpackedStats(kept.stats),
    request: { model: asked, messages, ...request },
  };
}

function unpackedEntry(kept: KeptEntry, before: Entry[]): Entry {
  if (kept.role === 'assistant') return unpackedAnswer(kept, before);
  const { id, content } = kept;
  if (kept.role === 'tool') {
    const { role, column, name, tool_call_id: toolCallId } = kept;
    return { id, role, column, name, toolCallId, content } satisfies ToolEntry;
  }
  const { role, images = [], images_left_out: imagesLeftOut } = kept;
  return { id, role, content, images, ...(imagesLeftOut && { imagesLeftOut }) } satisfies UserEntry;
}

/** Settings stored by an earlier version may lack fields, or use other types for them. */
function settingsFrom<T extends object>(kept: unknown, defaults: T): T {
  if (!isRecord(kept)) return defaults;
  const values = Object.entries(defaults).map(([name, value]) => {
    const found = kept[name];
    if (isRecord(value)) return [name, settingsFrom(found, value)];
    // Number fields hold an empty string until a number is entered.
    const fits = typeof found === typeof value || (value === '' && typeof found === 'number');
    return [name, fits ? found : value];
  });
  return Object.fromEntries(values) as T;
}

export function unpacked({ columns, settings, entries }: Content): ChatState {
  const read: Entry[] = [];
  for (const entry of entries) read.push(unpackedEntry(entry, read));
  return { columns, settings: settingsFrom(settings, defaultSettings), entries: read };
}

const bytesOf = (value: unknown): number => new Blob([JSON.stringify(value)]).size;

/** Drops as many of the oldest images as needed to fit the limit. */
export function fitting(content: Content, mostBytes: number): Content {
  let over = bytesOf(content) - mostBytes;
  if (over <= 0) return content;
  const entries = content.entries.map((entry): KeptEntry => {
    if (over <= 0 || entry.role !== 'user' || !entry.images?.length) return entry;
    const { images, images_left_out: gone = 0, ...rest } = entry;
    over -= bytesOf(images);
    return { ...rest, images_left_out: Math.min(mostImages, gone + images.length) };
  });
  return { ...content, entries };
}
