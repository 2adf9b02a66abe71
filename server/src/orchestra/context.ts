import { type MessageGroup, messageGroupsOf, workBegins } from './message-groups.ts';
import type { StoredTurnMessage } from './messages.ts';

export type MemoryMode = 'full' | 'summarized' | 'selective';

export interface Summary {
  text: string;
  tokens: number;
  /** Id of the last message it covers. */
  upTo: number;
}

export interface ContextInput {
  mode: MemoryMode;
  /** Oldest first; the last one is the user's current request. */
  history: StoredTurnMessage[];
  summary: Summary | null;
  budget: number;
  /** For `selective`: ids of the messages most similar to the request, most similar first. */
  nearest?: number[];
  /** Tokens of the whole history, if `history` holds only its end. */
  totalTokens?: number;
}

export interface Context {
  messages: StoredTurnMessage[];
  /** The summary to send, if the mode uses one and it fits. */
  summary: Summary | null;
  tokensUsed: number;
  tokensSaved: number;
}

/** Raw messages that always accompany a summary, so that the thread of the conversation is not lost. */
const keptBesideSummary = 6;
const keptWhenSelective = 4;
/** If raw messages take more than this share of the budget, too little is left for the next turns. */
const rawShare = 0.7;

/**
 * The part of the history that is sent, in order and within the budget. The newest message is always included, whatever
 * its size; a tool call and its results are included together or not at all.
 */
export function buildContext(input: ContextInput): Context {
  const units = messageGroupsOf(input.history);
  const newest = units.at(-1);
  const summary = input.mode === 'full' ? null : fitting(input.summary, input.budget - (newest?.tokens ?? 0));
  let room = input.budget - (summary?.tokens ?? 0);
  const chosen = new Set<MessageGroup>();
  const take = (unit: MessageGroup): boolean => {
    if (chosen.has(unit)) return true;
    if (unit.tokens > room && chosen.size > 0) return false;
    chosen.add(unit);
    room -= unit.tokens;
    return true;
  };
  for (const unit of recent(units, input, summary)) if (!take(unit)) break;
  if (input.mode === 'selective') for (const unit of nearest(units, input.nearest ?? [])) take(unit);
  const messages = units.filter((unit) => chosen.has(unit)).flatMap((unit) => unit.members);
  const used = sumTokens(messages) + (summary?.tokens ?? 0);
  const total = input.totalTokens ?? sumTokens(input.history);
  return { messages, summary, tokensUsed: used, tokensSaved: Math.max(0, total - used) };
}

/**
 * The messages to send, with the request that tools were called for even if their results alone fill the budget: each
 * call is cut to the window of its model, and there the results give way.
 */
export function withItsRequest({ messages }: Context, history: StoredTurnMessage[]): StoredTurnMessage[] {
  const units = messageGroupsOf(history);
  const request = units[workBegins(units)]?.members ?? [];
  const sent = new Set(messages.map(({ id }) => id));
  if (request.every(({ id }) => sent.has(id))) return messages;
  return [...messages, ...request].sort((a, b) => a.id - b.id);
}

const fitting = (summary: Summary | null, room: number): Summary | null =>
  summary !== null && summary.tokens <= room ? summary : null;

/** The end of the conversation, newest first, as far back as the mode reaches. */
function recent(units: MessageGroup[], { mode, history }: ContextInput, summary: Summary | null): MessageGroup[] {
  if (mode === 'full') return units.toReversed();
  const kept = mode === 'summarized' ? keptBesideSummary : keptWhenSelective;
  const firstKept = history.at(-kept)?.id ?? 0;
  const since = mode === 'summarized' ? Math.min(firstKept, (summary?.upTo ?? -1) + 1) : firstKept;
  return units.filter((unit) => unit.lastId >= since).toReversed();
}

function nearest(units: MessageGroup[], ids: number[]): MessageGroup[] {
  const byId = new Map(units.flatMap((unit) => unit.members.map((member) => [member.id, unit])));
  return ids.map((id) => byId.get(id)).filter((unit) => unit !== undefined);
}

export const sumTokens = (messages: { tokens: number }[]): number =>
  messages.reduce((total, message) => total + message.tokens, 0);

export interface SummaryNeed {
  autoSummarize: boolean;
  threshold: number;
  budget: number;
  /** Messages since the last summary. */
  raw: { tokens: number }[];
}

/** A rolling summary is due when enough messages came since the last one, or when they fill the window. */
export function summaryDue({ autoSummarize, threshold, budget, raw }: SummaryNeed): boolean {
  if (!autoSummarize || raw.length < 2) return false;
  return raw.length >= threshold || sumTokens(raw) > rawShare * budget;
}
