import type { Db } from '../../platform/db/tables.ts';
import { loadSteps } from './store/steps.ts';
import { notesOnCalls, type TimelineEvent } from './store/timeline.ts';
import type { Said } from './talk.ts';

/** What the journal knows of one call of a tool. */
export interface Noted {
  begun?: number;
  ended?: number;
  /** The beginning of what the model was told. */
  output?: string;
}

const longestOutput = 2_000;

/** The tool calls among these events, by their ids. */
export async function callsOf(db: Db, runRef: number, taken: (TimelineEvent | object)[]): Promise<Map<string, Noted>> {
  const ids = new Set(taken.flatMap((one) => ('seq' in one ? (idIn(one) ?? []) : [])));
  const calls = new Map<string, Noted>();
  if (ids.size === 0) return calls;
  const ends = new Map<string, string>();
  for (const { key, at } of await notesOnCalls(db, runRef)) {
    const [kind, id = ''] = key.split(':');
    if (!ids.has(id)) continue;
    const noted = calls.get(id) ?? {};
    calls.set(id, { ...noted, ...(kind === 'begun' ? { begun: at } : { ended: at }) });
    if (kind !== 'begun') ends.set(key, id);
  }
  const said = (await loadSteps(db, runRef, [...ends.keys()])) as Map<string, Said<{ content?: unknown }>>;
  for (const [key, { messages }] of said)
    calls.get(ends.get(key)!)!.output = shortened(`${messages[0]?.content ?? ''}`);
  return calls;
}

export const shortened = (text: string): string =>
  text.length > longestOutput ? `${text.slice(0, longestOutput)}…` : text;

const idIn = ({ event, data }: TimelineEvent): string | null =>
  event === 'tool_call_started' || event === 'approval_requested'
    ? (JSON.parse(data) as { tool_call_id: string }).tool_call_id
    : null;
