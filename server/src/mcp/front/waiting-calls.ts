import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { randomString } from '../../lib/ids.ts';
import { isObject } from '../../lib/is-object.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Log } from '../../platform/log.ts';
import { mostAskedMs } from '../call-timeout.ts';
import type { Params } from '../connection.ts';
import { McpFault } from '../fault.ts';
import type { McpServer } from '../store/servers.ts';
import { userOf } from '../target.ts';
import { badParams, type Exchange, internalError, RpcError } from './endpoint.ts';
import { mostCarriedBytes, type Peers, tooLargeToCarry } from './peers.ts';
import {
  type CallIdentity,
  digestOf,
  isResumeState,
  openResumeState,
  type Place,
  sealResumeState,
} from './resume-state.ts';
import { type Attached, type Outcome, WaitingCall } from './waiting-call.ts';

/** Per caller: each is an open connection to a server. */
const mostOfOne = 16;
/** Per user, over all callers in this process, so that one user cannot use up all of them. */
const mostOfUser = 100;
/** Per process. */
const mostInAll = 1_000;
/** Longer than the time for answers, so that a client that comes back at the last moment still gets the outcome. */
const keptMs = mostAskedMs + 60_000;

interface Kept {
  call: WaitingCall;
  called: CallIdentity;
  tell: CallHandlers['tell'];
  timer: Timer | undefined;
}

/** Makes the call to the server, and delivers the client's answers. */
export interface CallHandlers {
  work(behind: Exchange): Promise<Params>;
  /** False if the server could not be reached; the answer may then be sent again. */
  tell(name: string, result: Params): Promise<boolean>;
}

interface WaitingDeps {
  sealer: Sealer;
  clock: Clock;
  log: Log;
  peers: Peers;
}

const resuming = 'mcp-resume';
const resumed = z.object({
  state: z.string(),
  given: z.record(z.string(), z.unknown()),
  called: z.object({
    holder: z.string(),
    server: z.object({ id: z.number(), url: z.string() }),
    what: z.string(),
    digest: z.string(),
  }),
});
const cameOf = z.union([
  z.object({ result: z.record(z.string(), z.unknown()) }),
  z.object({ error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }) }),
]);

/**
 * Calls from clients of revision 2026-07-28 to older servers that asked something. The client gets the questions as its
 * answer while the call waits in this process, and comes back with the answers to any process.
 */
export class WaitingCalls {
  readonly #kept = new Map<string, Kept>();

  constructor(private readonly deps: WaitingDeps) {
    deps.peers.serve(resuming, async (what, signal) => {
      const { state, given, called } = resumed.parse(what);
      const place = openResumeState(deps.sealer, state, called, deps.clock.nowMs());
      return this.#goOn(place, given, { signal }).then((result) => ({ result }), this.#told);
    });
  }

  /** Makes the call, or resumes the one that the client comes back to. */
  answer(
    { server, what, params }: { server: McpServer; what: string; params: Params },
    exchange: Exchange,
    { work, tell }: CallHandlers,
  ): Promise<Params> {
    const called = (): CallIdentity => ({ server, what, holder: exchange.holder, digest: digestOf(params) });
    if (isResumeState(params.requestState)) return this.#comeBack(called(), params, exchange);
    const call = new WaitingCall(exchange, work);
    return this.#next(call, () => ({ call, called: called(), tell, timer: undefined }));
  }

  async #comeBack(called: CallIdentity, { requestState, inputResponses }: Params, exchange: Exchange): Promise<Params> {
    const { sealer, clock, peers } = this.deps;
    const given = isObject(inputResponses) ? inputResponses : {};
    if (Buffer.byteLength(JSON.stringify(given)) > mostCarriedBytes) throw badParams(tooLargeToCarry);
    const state = String(requestState);
    const place = openResumeState(sealer, state, called, clock.nowMs());
    if (!place || place.process === peers.own) return this.#goOn(place, given, exchange);
    const { holder, what, digest, server } = called;
    const carried = { state, given, called: { holder, what, digest, server: { id: server.id, url: server.url } } };
    const { data } = cameOf.safeParse(await peers.ask(place.process, resuming, carried, exchange.signal));
    if (!data) throw nobodyWaits();
    if ('result' in data) return data.result;
    throw new RpcError(data.error.code, data.error.message, data.error.data);
  }

  async #goOn(place: Place | null, given: Params, attached: Attached): Promise<Params> {
    const kept = place && this.#kept.get(place.call);
    if (!kept || kept.call.round !== place.round) throw nobodyWaits();
    clearTimeout(kept.timer);
    await kept.call.goOn(attached, given, kept.tell);
    return this.#next(kept.call, () => kept);
  }

  async #next(call: WaitingCall, keep: () => Kept): Promise<Params> {
    const outcome = await call.next();
    const kept = outcome ? null : keep();
    if (kept && this.#hasRoom(kept)) return this.#suspend(kept);
    if (kept) call.giveUp(new McpFault('too many calls are already waiting for answers from this caller'));
    return this.#finish(call, outcome ?? (await call.ended));
  }

  #finish(call: WaitingCall, outcome: Outcome): Params {
    if (call.id !== null) this.#kept.delete(call.id);
    if ('error' in outcome) throw outcome.error;
    return outcome.result;
  }

  #hasRoom({ call, called }: Kept): boolean {
    if (call.id !== null) return true;
    const holders = [...this.#kept.values()].map((one) => one.called.holder);
    const own = holders.filter((holder) => holder === called.holder).length;
    const ofUser = holders.filter((holder) => userOf(holder) === userOf(called.holder)).length;
    return own < mostOfOne && ofUser < mostOfUser && this.#kept.size < mostInAll;
  }

  #suspend(kept: Kept): Params {
    const { sealer, clock, peers } = this.deps;
    const { call, called } = kept;
    peers.listen();
    call.detach();
    call.id ??= randomString(16);
    this.#kept.set(call.id, kept);
    kept.timer = setTimeout(() => this.#forget(kept, 'no answers were received in time'), keptMs);
    kept.timer.unref();
    const place = { process: peers.own, call: call.id, round: call.round };
    return {
      resultType: 'input_required',
      inputRequests: call.inputRequests(),
      requestState: sealResumeState(sealer, called, place, clock.nowMs() + mostAskedMs),
    };
  }

  #forget({ call, timer }: Kept, why: string): void {
    clearTimeout(timer);
    if (call.id !== null) this.#kept.delete(call.id);
    call.giveUp(new McpFault(why));
  }

  /** The error in the form that is sent to another process. */
  readonly #told = (error: unknown): z.infer<typeof cameOf> => {
    if (!(error instanceof RpcError)) this.deps.log.error({ error }, 'a resumed call failed');
    const { code, message, data } = error instanceof RpcError ? error : internalError('Internal error');
    return { error: { code, message, data } };
  };

  /**
   * Clients can no longer come back to this process, so waiting calls are dropped; those with an attached request
   * continue.
   */
  stop(): void {
    for (const kept of this.#kept.values())
      if (!kept.call.isAttached) this.#forget(kept, 'the service is shutting down');
  }
}

const nobodyWaits = (): RpcError =>
  badParams(
    'These answers are no longer awaited: they were already given, the time is up, or the call has ended. Call the tool again, or ask again.',
  );
