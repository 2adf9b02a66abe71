import type { FailureLog } from '../billing/failures.ts';
import { type FailureRow, failedCalls, failuresOf } from '../billing/store/failures.ts';
import { answeredCalls, unroutedUsage, usageBetween } from '../billing/store/find-usage.ts';
import type { UsageLog } from '../billing/store/usage.ts';
import { keyIdsOf } from '../identity/store/keys.ts';
import { sessionOfRun } from '../orchestra/autonomous/store/runs.ts';
import type { Db } from '../platform/db/tables.ts';
import type { DecisionLog } from '../routing/decisions.ts';
import { type DecisionRow, decisionsOf } from '../routing/store/decisions.ts';
import type { KeptContent, KeptContents } from './contents/open.ts';

export interface RequestRoom {
  db: Db;
  contents: Pick<KeptContents, 'find'>;
  failures: Pick<FailureLog, 'flush'>;
  decisions: Pick<DecisionLog, 'flush'>;
}

export interface Asking {
  /** Absent: whoever made it. */
  userId?: number | undefined;
  /** When it ended, where that is known: the list tells. */
  at?: number | undefined;
}

/** Everything that is known of one request. */
export interface FoundRequest {
  /** What was charged; newest first. */
  logs: UsageLog[];
  failures: FailureRow[];
  decisions: DecisionRow[];
  calls: Calls | null;
  /** Of the turn, run, batch or response in whose course it was made. */
  parentId: string | null;
  /** Session of the run that it is, or is part of. */
  runSession: string | null;
  /** What was asked and answered, where that was kept. */
  content: KeptContent | null;
}

/** What was asked for in the course of a turn, a run or a batch. */
interface Calls {
  answered: number;
  failed: number;
  quota: number;
  newest: { user_id: number; created_at: number };
}

/** Null where nothing is known of it, or nothing that may be told. */
export async function findRequest(room: RequestRoom, requestId: string, asking: Asking): Promise<FoundRequest | null> {
  const { db } = room;
  const { userId } = asking;
  // What this process still holds back is shown too: people look right after their request.
  await room.failures.flush();
  await room.decisions.flush();
  const isTheirs = ({ user_id }: { user_id: number }) => userId === undefined || user_id === userId;
  const failures = (await failuresOf(db, requestId)).filter(isTheirs);
  const decisions = (await decisionsOf(db, [requestId])).filter(isTheirs);
  const logs = await logsOf(db, requestId, decisions, asking);
  const calls = await callsIn(db, requestId, userId);
  if (logs.length + failures.length + decisions.length === 0 && !calls) return null;
  const parentId = (decisions[0] ?? failures[0] ?? logs[0])?.parent_request_id ?? null;
  const run = [requestId, parentId].find((id) => id?.startsWith(runPrefix));
  const runSession = run ? await sessionOfRun(db, run, userId) : null;
  const content = await room.contents.find(requestId, userId);
  return { logs, failures, decisions, calls, parentId, runSession, content };
}

const runPrefix = 'exec-';

async function callsIn(db: Db, requestId: string, userId: number | undefined): Promise<Calls | null> {
  const answered = await answeredCalls(db, requestId, userId);
  const failed = await failedCalls(db, requestId, userId);
  const newest = answered?.newest ?? failed?.newest;
  return newest
    ? { answered: answered?.count ?? 0, failed: failed?.count ?? 0, quota: answered?.quota ?? 0, newest }
    : null;
}

async function logsOf(db: Db, requestId: string, decisions: DecisionRow[], { userId, at }: Asking) {
  const found = new Map<number, UsageLog>();
  const add = (logs: UsageLog[]) => {
    for (const log of logs) found.set(log.id, log);
  };
  add((await unroutedUsage(db, requestId)).filter(({ user_id }) => userId === undefined || user_id === userId));
  if (at !== undefined) add(await usageBetween(db, requestId, { userId }, { from: at, to: at }));
  const decision = decisions[0];
  if (found.size === 0 && decision) add(await logsOfDecision(db, decision));
  return [...found.values()].sort((a, b) => b.created_at - a.created_at || b.id - a.id);
}

/** A charge is noted when its answer ends, and written before its decision is. */
const secondsBefore = 10;
const secondsAfter = 30;

/** Whoever made the request need not be who paid for it: a key of an organisation is paid for by that. */
async function logsOfDecision(db: Db, { request_id, user_id, created_at, duration_ms }: DecisionRow) {
  const end = created_at + Math.ceil(duration_ms / 1000);
  const usual = { from: Math.max(created_at, end - secondsBefore), to: end + secondsAfter };
  const keyIds = await keyIdsOf(db, user_id);
  const whose = [{ userId: user_id }, ...(keyIds.length > 0 ? [{ keyIds }] : [])];
  for (const by of whose) {
    const found = await usageBetween(db, request_id, by, usual);
    if (found.length > 0) return found;
  }
  // Videos are charged when they are done, long after somebody was chosen for them.
  return usageBetween(db, request_id, { userId: user_id }, { from: created_at });
}
