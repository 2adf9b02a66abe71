import type { Remembered } from './messages.ts';
import { type Unit, unitsOf } from './units.ts';

export type MemoryMode = 'full' | 'summarized' | 'selective';

export interface Summary {
  text: string;
  tokens: number;
  /** Id of the last message it covers. */
  upTo: number;
}

export interface ContextInput {
  mode: MemoryMode;
  /** Oldest first; the newest is what the user asks now. */
  history: Remembered[];
  summary: Summary | null;
  budget: number;
  /** For `selective`: ids of the messages nearest to the request, nearest first. */
  nearest?: number[];
  /** Tokens of the whole history where `history` is only its end. */
  totalTokens?: number;
}

export interface Context {
  messages: Remembered[];
  /** The summary to send along, when the mode wants one and it fits. */
  summary: Summary | null;
  tokensUsed: number;
  tokensSaved: number;
}

/** Raw messages that always accompany a summary, so that the thread of the talk is not lost. */
const keptBesideSummary = 6;
const keptWhenSelective = 4;
/** Beyond this share of the budget the raw part leaves too little room for the next turns. */
const rawShare = 0.7;

/**
 * What of the history is sent, in order and within the budget. The newest message goes in whatever it weighs;
 * a tool call and its results go together or not at all.
 */
export function buildContext(input: ContextInput): Context {
  const units = unitsOf(input.history);
  const newest = units.at(-1);
  const summary = input.mode === 'full' ? null : fitting(input.summary, input.budget - (newest?.tokens ?? 0));
  let room = input.budget - (summary?.tokens ?? 0);
  const chosen = new Set<Unit>();
  const take = (unit: Unit): boolean => {
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

const fitting = (summary: Summary | null, room: number): Summary | null =>
  summary !== null && summary.tokens <= room ? summary : null;

/** The end of the talk, newest first, as far back as the mode goes. */
function recent(units: Unit[], { mode, history }: ContextInput, summary: Summary | null): Unit[] {
  if (mode === 'full') return units.toReversed();
  const kept = mode === 'summarized' ? keptBesideSummary : keptWhenSelective;
  const firstKept = history.at(-kept)?.id ?? 0;
  const since = mode === 'summarized' ? Math.min(firstKept, (summary?.upTo ?? -1) + 1) : firstKept;
  return units.filter((unit) => unit.lastId >= since).toReversed();
}

function nearest(units: Unit[], ids: number[]): Unit[] {
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

/** A rolling summary is due when enough was said since the last one, or what was said fills the window. */
export function summaryDue({ autoSummarize, threshold, budget, raw }: SummaryNeed): boolean {
  if (!autoSummarize || raw.length < 2) return false;
  return raw.length >= threshold || sumTokens(raw) > rawShare * budget;
}
