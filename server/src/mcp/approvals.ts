import type { Membership } from '../identity/membership.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { type Asker, describeAskers, type ShownAsker } from './asker.ts';
import type { McpDeps } from './context.ts';
import * as store from './store/approvals.ts';
import type { McpServer } from './store/servers.ts';

type Deps = Pick<McpDeps, 'db' | 'clock'>;

/** How long a user has to answer, and then how long the caller has to repeat the call. */
const lifeSeconds = 15 * 60;
/** Pending calls per user: users do not answer more than this, and each row stores the arguments. */
const mostWaiting = 50;
/** Users cannot review longer arguments. */
const mostCharacters = 64 * 1024;

export interface AskedCall {
  userId: number;
  server: McpServer;
  tool: string;
  arguments: Record<string, unknown>;
  askedBy: Asker;
}

/**
 * Null if the user has approved exactly this call, which uses up the approval; else the reason why not. The call does
 * not wait for the answer: clients time out after seconds, and users answer after minutes.
 */
export async function refusalOf({ db, clock }: Deps, call: AskedCall, webUrl: string): Promise<string | null> {
  const life = lifeFrom(clock);
  const args = JSON.stringify(call.arguments);
  if (args.length > mostCharacters)
    return `${call.tool} requires approval, and its arguments are too long to be shown.`;
  const wanted = wantedBy(call);
  if (await store.useApproval(db, wanted, life.now)) return null;
  const state = await store.askAbout(db, wanted, args, life, mostWaiting);
  if (state === null) return `${call.tool} was not called: too many calls are already waiting for approval.`;
  if (state === 'refused') return `${call.tool} was not called: the user refused it.`;
  return (
    `${call.tool} was not called: it needs the user's approval first. ` +
    `The user can answer at ${webUrl}/tools within ${lifeSeconds / 60} minutes; then call it again with the same arguments.`
  );
}

/** A tool that asks for input is called again with the answers; the approval covers that second call too. */
export const approveAgain = ({ db, clock }: Deps, call: AskedCall): Promise<unknown> =>
  store.putApproval(db, wantedBy(call), { args: JSON.stringify(call.arguments), state: 'approved' }, lifeFrom(clock));

function lifeFrom(clock: Deps['clock']): { now: number; until: number } {
  const now = nowSeconds(clock);
  return { now, until: now + lifeSeconds };
}

/**
 * Independent of key order: a model that repeats a call may write its arguments in another order. An approval is for one
 * program: another one that makes the same call asks as well.
 */
const wantedBy = ({ userId, server, tool, arguments: args, askedBy }: AskedCall): store.Wanted => ({
  ...{ userId, serverId: server.id, tool, askedBy },
  argumentsHash: sha256Hex(JSON.stringify([askedBy, canonicalJson(args)])),
});

/** A call that a user may approve, who asks for it, and the organisation that it is made for, if any. */
export interface ShownApproval extends Omit<store.Approval, 'askedBy'> {
  askedBy: ShownAsker | null;
  organisation: Pick<Membership, 'id' | 'name'> | null;
}

type Answering = Deps & Pick<McpDeps, 'memberships' | 'applicationNames'>;

/**
 * Users approve calls for themselves and for organisations that they manage, because team keys do not belong to a user.
 */
async function answersOf(deps: Answering, userId: number) {
  const { memberships } = deps;
  const run = (await memberships.of(userId)).filter(({ manages }) => manages);
  const byAccount = new Map(run.map(({ accountId, id, name }) => [accountId, { id, name }]));
  return {
    userIds: [userId, ...byAccount.keys()],
    shown: async (approvals: store.Approval[]): Promise<ShownApproval[]> => {
      const described = await describeAskers(
        deps,
        approvals.map(({ askedBy }) => askedBy),
      );
      return approvals.map((approval) => ({
        ...approval,
        askedBy: described(approval.askedBy),
        organisation: byAccount.get(approval.userId) ?? null,
      }));
    },
  };
}

export async function listApprovals(deps: Answering, userId: number): Promise<ShownApproval[]> {
  const { userIds, shown } = await answersOf(deps, userId);
  const most = mostWaiting * userIds.length;
  return shown(await store.listApprovals(deps.db, userIds, nowSeconds(deps.clock), most));
}

export async function answerApproval(
  deps: Answering,
  { id, userId }: { id: number; userId: number },
  approved: boolean,
): Promise<ShownApproval> {
  const { userIds, shown } = await answersOf(deps, userId);
  const state = approved ? 'approved' : 'refused';
  const answered = await store.answerApproval(deps.db, { id, userIds }, state, lifeFrom(deps.clock));
  if (!answered) throw new AppError('not_found', `no call ${id} is waiting for your approval`);
  return (await shown([answered]))[0]!;
}

export const sweepApprovals = ({ db, clock }: Deps): Promise<unknown> =>
  store.dropExpiredApprovals(db, nowSeconds(clock));
