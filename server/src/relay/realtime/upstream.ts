import { maybeJson } from '../../lib/maybe-json.ts';
import type { OutgoingProxy } from '../../lib/outgoing-proxy.ts';
import { isLocalExhaustion } from '../../platform/http/local-exhaustion.ts';
import { mostMessageBytes } from '../../platform/http/sockets.ts';
import { RefusedUpgrade, UpstreamWebSocket } from '../../platform/upstream/web-socket.ts';
import type { Attempt } from '../../routing/plan.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { DispatchFault, kindOf, targetOf } from '../dispatch.ts';
import { DemoRealtime } from '../providers/demo/realtime/session.ts';
import { readEmbeddedError } from '../providers/kind/errors.ts';
import { failure, isObject, UpstreamFault } from '../wire/conversation.ts';

/** The upstream side of a session, remote or built in. */
export type RealtimeUpstream = Pick<
  UpstreamWebSocket,
  'listen' | 'send' | 'ping' | 'pause' | 'resume' | 'close' | 'unsentBytes'
>;

/** A session whose first event arrived; paused until there is a listener. */
export interface Greeted {
  attempt: Attempt;
  upstream: RealtimeUpstream;
  greeting: Buffer;
  startedMs: number;
  firstMs: number;
}

type GreetingDeps = RelayDeps & { outgoingProxy?: OutgoingProxy | undefined };

/** Opens a session with a candidate and waits for its first event: until then another may take over. */
export async function greetedBy(deps: GreetingDeps, context: RequestContext, attempt: Attempt): Promise<Greeted> {
  const { channel } = attempt.candidate;
  const startedMs = deps.clock.steadyMs();
  const limit = AbortSignal.timeout(channel.timeoutMs);
  const signal = AbortSignal.any([context.signal, limit, ...(deps.stopping ? [deps.stopping] : [])]);
  let upstream: RealtimeUpstream | undefined;
  try {
    upstream = await connect(deps, context, attempt, signal);
    const greeting = await greetingOf(upstream, signal);
    return { attempt, upstream, greeting, startedMs, firstMs: deps.clock.steadyMs() - startedMs };
  } catch (error) {
    upstream?.close(1000);
    if (error instanceof UpstreamFault) throw error;
    if (error instanceof RefusedUpgrade)
      throw new UpstreamFault(kindOf(attempt.candidate).errorOf(error.status, error.headers, error.body));
    if (limit.aborted) throw new DispatchFault('timeout', startedMs, 'the upstream did not open a session in time');
    throw new DispatchFault(isLocalExhaustion(error) ? 'shortage' : 'connection', startedMs, String(error));
  }
}

async function connect(
  deps: GreetingDeps,
  context: RequestContext,
  { candidate }: Attempt,
  signal: AbortSignal,
): Promise<RealtimeUpstream> {
  const transcribes = candidate.type === 'transcription';
  if (candidate.channel.kind === 'demo') return new DemoRealtime(candidate.modelName, deps.demo.paceMs, transcribes);
  const request = kindOf(candidate).realtime!.toUpstream(targetOf(candidate, context), transcribes);
  const { outgoingProxy } = deps;
  return UpstreamWebSocket.connect({ ...request, mostBytes: mostMessageBytes, outgoingProxy }, signal);
}

function greetingOf(upstream: RealtimeUpstream, signal: AbortSignal): Promise<Buffer> {
  return new Promise((greeted, refuse) => {
    signal.addEventListener('abort', () => refuse(signal.reason), { once: true });
    upstream.listen({
      message: (payload, binary) => {
        upstream.pause();
        const event = binary ? undefined : maybeJson(payload.toString());
        if (!isObject(event)) refuse(new UpstreamFault(failure('the first message of the upstream is not JSON')));
        else if (event.type === 'error') refuse(new UpstreamFault(readEmbeddedError(event)));
        else greeted(payload);
      },
      heard: () => {},
      closed: (code, reason) =>
        refuse(new UpstreamFault(failure(`the upstream closed the session with ${code} ${reason}`))),
    });
    upstream.resume();
  });
}
