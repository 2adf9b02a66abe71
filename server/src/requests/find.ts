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

export interface RequestLookupDeps {
  db: Db;
  contents: Pick<KeptContents, 'find'>;
  failures: Pick<FailureLog, 'flush'>;
  decisions: Pick<DecisionLog, 'flush'>;
}

export interface Asking {
  /** Absent: of any user. */
  userId?: number | undefined;
  /** When it ended, if the list told. */
  at?: number | undefined;
}

/** Everything known about one request. */
export interface FoundRequest {
  /** Its charges, newest first. */
  logs: UsageLog[];
  failures: FailureRow[];
  decisions: DecisionRow[];
  calls: Calls | null;
  /** Id of the turn, run, batch or response that made it. */
  parentId: string | null;
  /** Session of the run that it is, or belongs to. */
  runSession: string | null;
  /** Prompt and answer, if they were kept. */
  content: KeptContent | null;
}

/** Calls made on behalf of a turn, run or batch. */
interface Calls {
  answered: number;
  failed: number;
  quota: number;
  newest: { user_id: number; created_at: number };
}

/** Null if it is unknown, or not visible to the caller. */
export async function findRequest(
  room: RequestLookupDeps,
  requestId: string,
  asking: Asking,
): Promise<FoundRequest | null> {
  const { db } = room;
  const { userId } = asking;
  // Includes what this process has not written yet: people look right after their request.
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

/** A charge is dated when its answer ends, and written before its decision. */
const secondsBefore = 10;
const secondsAfter = 30;

/** The caller need not be the payer: keys of an organisation are paid for by the organisation. */
async function logsOfDecision(db: Db, { request_id, user_id, created_at, duration_ms }: DecisionRow) {
  const end = created_at + Math.ceil(duration_ms / 1000);
  const usual = { from: Math.max(created_at, end - secondsBefore), to: end + secondsAfter };
  const keyIds = await keyIdsOf(db, user_id);
  const whose = [{ userId: user_id }, ...(keyIds.length > 0 ? [{ keyIds }] : [])];
  for (const by of whose) {
    const found = await usageBetween(db, request_id, by, usual);
    if (found.length > 0) return found;
  }
  // Videos are charged when they are done, long after routing.
  return usageBetween(db, request_id, { userId: user_id }, { from: created_at });
}
