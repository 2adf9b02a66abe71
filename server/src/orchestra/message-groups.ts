import { type StoredTurnMessage, textOf } from './messages.ts';

/** Messages that are sent together or not at all: one message, or a tool call with all its results. */
export interface MessageGroup {
  members: StoredTurnMessage[];
  tokens: number;
  lastId: number;
}

/**
 * Groups the history. Upstreams reject a result without its call and a call without its results, so an orphaned result
 * is dropped, and an unanswered call keeps only its text.
 */
export function messageGroupsOf(history: StoredTurnMessage[]): MessageGroup[] {
  const units: MessageGroup[] = [];
  for (let i = 0; i < history.length; i++) {
    const item = history[i]!;
    if (item.message.role === 'tool') continue;
    const calls = item.message.tool_calls ?? [];
    if (calls.length === 0) {
      units.push(unit([item]));
      continue;
    }
    const results = resultsAfter(history, i);
    const answered = new Set(results.map((result) => result.message.tool_call_id));
    if (calls.every((call) => answered.has(call.id))) {
      const wanted = new Set(calls.map((call) => call.id));
      units.push(unit([item, ...results.filter((result) => wanted.has(result.message.tool_call_id ?? ''))]));
    } else if (textOf(item.message) !== '') {
      const { tool_calls: _dropped, ...message } = item.message;
      units.push(unit([{ ...item, message }]));
    }
  }
  return units;
}

function resultsAfter(history: StoredTurnMessage[], index: number): StoredTurnMessage[] {
  let end = index + 1;
  while (history[end]?.message.role === 'tool') end++;
  return history.slice(index + 1, end);
}

const unit = (members: StoredTurnMessage[]): MessageGroup => ({
  members,
  tokens: members.reduce((total, member) => total + member.tokens, 0),
  lastId: members.at(-1)!.id,
});
