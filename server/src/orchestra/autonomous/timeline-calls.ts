import { shortened as shortenedTo } from '../../lib/cut-text.ts';
import type { Db } from '../../platform/db/tables.ts';
import { loadSteps } from './store/steps.ts';
import { notesOnCalls, type TimelineEvent } from './store/timeline.ts';
import type { ConversationEntry } from './task-conversation.ts';

/** What the journal says about a tool call. */
export interface Noted {
  begun?: number;
  ended?: number;
  /** The beginning of the output sent to the model. */
  output?: string;
}

const longestOutput = 2_000;

/** The journal's data on the tool calls among these events, by call id. */
export async function callsOf(db: Db, runRef: number, taken: (TimelineEvent | object)[]): Promise<Map<string, Noted>> {
  const ids = new Set(taken.flatMap((one) => ('seq' in one ? (idIn(one) ?? []) : [])));
  const calls = new Map<string, Noted>();
  if (ids.size === 0) return calls;
  const notes = new Map<string, { id: string; at: number }>();
  for (const { key, at } of await notesOnCalls(db, runRef)) {
    const [kind, id = ''] = key.split(':');
    if (!ids.has(id)) continue;
    if (kind === 'begun') calls.set(id, { ...calls.get(id), begun: at });
    else notes.set(key, { id, at });
  }
  const found = (await loadSteps(db, runRef, [...notes.keys()])) as Map<
    string,
    Partial<ConversationEntry<{ content?: unknown }>>
  >;
  for (const [key, { messages }] of found) {
    const { id, at } = notes.get(key)!;
    // An approval has no messages, and does not end the call.
    const ended = messages && { ended: at, output: shortened(`${messages[0]?.content ?? ''}`) };
    calls.set(id, { ...calls.get(id), ...ended });
  }
  return calls;
}

export const shortened = (text: string): string => shortenedTo(text, longestOutput);

const idIn = ({ event, data }: TimelineEvent): string | null =>
  event === 'tool_call_started' || event === 'approval_requested'
    ? (JSON.parse(data) as { tool_call_id: string }).tool_call_id
    : null;
