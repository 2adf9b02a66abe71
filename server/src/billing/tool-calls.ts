import { accountsOf } from '../identity/store/names.ts';
import { type AccountNames, goneAccount } from '../identity/user.ts';
import type { Db } from '../platform/db/tables.ts';
import { secondsPerDay } from './store/port.ts';
import { callersOf, type Days, toolPrefix, toolsCalled } from './store/tool-calls.ts';
import { listUsage, type UsageLog } from './store/usage.ts';

/** Upper bounds on what one page shows: tools, and users of each tool. */
const mostTools = 50;
const mostCallers = 20;
/** Errors and durations are only in the log: sample this many of the newest calls per tool, however many there are. */
const mostLooked = 500;

export interface ToolCalls {
  server: string;
  tool: string;
  userId: number;
  /** Null for a deleted user. */
  username: string | null;
  account_name: string | null;
  calls: number;
  /** How many of the newest calls the fields below are based on. */
  sample: number;
  errors: number;
  averageMs: number | null;
  lastAt: number | null;
}

/** Who called which tool of which server, most called first. */
export async function toolCalls(db: Db, days: Days): Promise<{ calls: ToolCalls[]; cut: boolean }> {
  const tools = await toolsCalled(db, days, mostTools + 1);
  const calls: Omit<ToolCalls, keyof AccountNames>[] = [];
  let cut = tools.length > mostTools;
  // One tool at a time, because SQLite blocks everything else during a query.
  for (const modelId of tools.slice(0, mostTools)) {
    const callers = await callersOf(db, modelId, days, mostCallers + 1);
    cut ||= callers.length > mostCallers;
    const seconds = { from: days.firstDay * secondsPerDay, to: (days.lastDay + 1) * secondsPerDay - 1 };
    const logs = await listUsage(db, { modelId, ...seconds }, { limit: mostLooked });
    const byUser = Map.groupBy(logs, ({ user_id }) => user_id);
    for (const { userId, calls: count } of callers.slice(0, mostCallers))
      calls.push({ ...partsOf(modelId), userId, calls: count, ...toldBy(byUser.get(userId) ?? []) });
  }
  const accounts = await accountsOf(
    db,
    calls.map(({ userId }) => userId),
  );
  const named = calls.map((one) => ({ ...one, ...(accounts.get(one.userId) ?? goneAccount) }));
  return { calls: named.sort((a, b) => b.calls - a.calls), cut };
}

/** Server names contain no slash; tool names may. */
function partsOf(modelId: string): { server: string; tool: string } {
  const [server = '', ...tool] = modelId.slice(toolPrefix.length).split('/');
  return { server, tool: tool.join('/') };
}

function toldBy(logs: readonly UsageLog[]): Pick<ToolCalls, 'sample' | 'errors' | 'averageMs' | 'lastAt'> {
  const sample = logs.length;
  const totalMs = logs.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  return {
    sample,
    errors: logs.filter(({ status }) => status === 'error').length,
    averageMs: sample === 0 ? null : Math.round(totalMs / sample),
    lastAt: logs[0]?.created_at ?? null,
  };
}
