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

/**
 * Where the work in hand begins: the newest message, or, if tools are being called, the request that they serve. Without
 * its request a model would not know what the results are for.
 */
export function workBegins(groups: MessageGroup[]): number {
  const isCall = ({ members }: MessageGroup) => (members[0]!.message.tool_calls?.length ?? 0) > 0;
  const said = (group: MessageGroup, role: string) => group.members[0]!.message.role === role && !isCall(group);
  const answered = groups.findLastIndex((group) => said(group, 'assistant'));
  const firstCall = groups.findIndex((group, i) => i > answered && isCall(group));
  const request = groups.slice(0, Math.max(0, firstCall)).findLastIndex((group) => said(group, 'user'));
  return request < 0 ? Math.max(0, groups.length - 1) : request;
}

/** Tokens that a model must read at least: the newest message, or the newest results of tools and what follows them. */
export function leastRead(groups: MessageGroup[]): number {
  const at = groups.findLastIndex(({ members }) => members.length > 1);
  const isNewest = at >= workBegins(groups) && at >= 0;
  return groups.slice(isNewest ? at : -1).reduce((sum, { tokens }) => sum + tokens, 0);
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
