import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { inOrder } from '../lib/in-order.ts';
import type { McpDeps } from './room.ts';
import * as store from './store/approvals.ts';
import type { McpServer } from './store/servers.ts';

type Deps = Pick<McpDeps, 'db' | 'clock'>;

/** How long a person has to answer, and how long the answer counts. */
const lifeSeconds = 15 * 60;
/** Of one user at once: nobody answers more, and each keeps its arguments. */
const mostWaiting = 50;
/** Longer arguments cannot be read by whoever is asked. */
const mostCharacters = 64 * 1024;

export interface AskedCall {
  userId: number;
  server: McpServer;
  tool: string;
  arguments: Record<string, unknown>;
}

/**
 * Null when the person behind the caller has approved just this call, once; else why not yet. Nobody can be asked within a
 * call: clients wait for seconds, people answer in minutes.
 */
export async function refusalOf({ db, clock }: Deps, call: AskedCall, webUrl: string): Promise<string | null> {
  const now = nowSeconds(clock);
  const args = JSON.stringify(call.arguments);
  if (args.length > mostCharacters) return `${call.tool} asks first, and its arguments are too long to be shown.`;
  const { userId } = call;
  // A model that calls again need not write them in the same order.
  const argumentsHash = sha256Hex(JSON.stringify(inOrder(call.arguments)));
  const wanted = { userId, serverId: call.server.id, tool: call.tool, argumentsHash };
  if (await store.useApproval(db, wanted, now)) return null;
  if ((await store.countApprovals(db, userId, now)) >= mostWaiting)
    return `${call.tool} was not called: too many calls wait for approval already.`;
  const state = await store.askApproval(db, wanted, args, { now, until: now + lifeSeconds });
  if (state === 'refused') return `${call.tool} was not called: the user refused it.`;
  return (
    `${call.tool} was not called: it needs the user's approval first. ` +
    `The user can answer at ${webUrl}/tools within ${lifeSeconds / 60} minutes; then call it again with the same arguments.`
  );
}

export const listApprovals = ({ db, clock }: Deps, userId: number): Promise<store.Approval[]> =>
  store.listApprovals(db, userId, nowSeconds(clock), mostWaiting);

export async function answerApproval(
  { db, clock }: Deps,
  which: { id: number; userId: number },
  approved: boolean,
): Promise<store.Approval> {
  const answered = await store.answerApproval(db, which, approved ? 'approved' : 'refused', nowSeconds(clock));
  if (!answered) throw new AppError('not_found', `no call ${which.id} waits for your approval`);
  return answered;
}

export const sweepApprovals = ({ db, clock }: Deps): Promise<unknown> =>
  store.dropExpiredApprovals(db, nowSeconds(clock));
