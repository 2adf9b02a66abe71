import type { ClientSecrets } from '../../identity/client-secrets.ts';
import type { KeyPrincipal } from '../../identity/principals.ts';
import { AppError } from '../../lib/errors.ts';
import type { OutgoingProxy } from '../../lib/outgoing-proxy.ts';
import type { Call } from '../../platform/http/route.ts';
import type { Candidate } from '../../routing/candidate.ts';
import { requireAllowedModel } from '../charge.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { kindOf } from '../dispatch.ts';
import { resolveModel } from '../model-names.ts';
import { openCall } from '../open-call.ts';
import { contextOf } from '../request-context.ts';
import { stoppingError } from '../stopping.ts';
import { tryCandidates } from '../try-candidates.ts';
import { asks, mostOf, nothingYet } from './bounds.ts';
import { endings } from './endings.ts';
import { firstEventOf, type RequestedSession } from './first-event.ts';
import { RealtimeSession } from './session.ts';
import { greetedBy } from './upstream.ts';

export const realtimePath = '/v1/realtime';

export interface RealtimeDeps extends RelayDeps {
  clientSecrets: ClientSecrets;
  /** Absent: direct connections. */
  outgoingProxy?: OutgoingProxy | undefined;
  /** Called about once a second during a session: the caller may have lost access meanwhile. */
  identify(call: Call): KeyPrincipal | Promise<KeyPrincipal>;
  sessions: OpenSessions;
}

export interface OpenSessions {
  readonly here: Set<RealtimeSession>;
  /** No more sessions are opened. */
  draining: boolean;
}

export type SocketCall = Call<'socketKey'>;

/** Free sessions per user and process: nothing is held for them, and each is checked every second for an hour. */
const mostFree = 50;

function refuseMoreFree({ sessions }: RealtimeDeps, { caller }: RequestContext): void {
  let free = 0;
  for (const { about } of sessions.here)
    if (about.call.hold.amount === 0 && about.context.caller.userId === caller.userId) free += 1;
  if (free >= mostFree)
    throw new AppError('capacity_exhausted', `You have ${mostFree} open sessions of free models. Close some first.`);
}

/** Finds an upstream that accepts, and only then upgrades to a WebSocket: until then errors are normal answers. */
export async function openSession(deps: RealtimeDeps, call: SocketCall, wanted: RequestedSession): Promise<Response> {
  if (deps.sessions.draining) throw stoppingError();
  const context = contextIn(call);
  refuseMoreFree(deps, context);
  const { name, modelId, type } = requireRealtime(deps, context, wanted.model, wanted.transcribes);
  const estimate = { most: (candidate: Candidate) => mostOf(candidate, nothingYet), asks };
  const opened = await openCall(deps, context, wanted.model, type, estimate, (candidate) =>
    hasSessions(deps, context, candidate),
  );
  const greeted = await tryCandidates(deps, context, opened, (attempt) => greetedBy(deps, context, attempt));
  const { candidate } = greeted.attempt;
  const session = new RealtimeSession(deps, {
    ...{ context, candidate, modelId, names: [modelId, name], call: opened, greeted },
    transcribers: new Map(),
    beginning: firstEventOf(context, candidate, wanted),
    stillPermitted: async () => {
      const { models } = await deps.identify(call);
      requireAllowedModel(deps, { ...context, caller: { ...context.caller, models } }, name, modelId);
    },
    ended: (over) => deps.sessions.here.delete(over),
  });
  deps.sessions.here.add(session);
  call.headers['x-svc-provider'] = candidate.channel.provider;
  // Otherwise the first offered protocol would be chosen, which may be the key.
  if (protocolsOf(call).includes('realtime')) call.headers['sec-websocket-protocol'] = 'realtime';
  try {
    return call.upgrade!(session);
  } catch (error) {
    await session.end(endings.clientLeft());
    throw error;
  }
}

const protocolsOf = ({ request: { headers } }: SocketCall): string[] =>
  (headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim());

/** Browsers select the former format by subprotocol, others by a header, which is what upstreams read. */
function contextIn(call: SocketCall): RequestContext {
  const context = contextOf(call, realtimePath);
  if (!protocolsOf(call).includes('openai-beta.realtime-v1')) return context;
  const clientHeaders = { ...context.clientHeaders, 'openai-beta': 'realtime=v1' };
  // A derived context is one.
  return Object.create(context, { clientHeaders: { value: clientHeaders, enumerable: true } }) as RequestContext;
}

type SessionType = 'realtime' | 'transcription';

/** The resolved model and its function; a model of another type is the caller's mistake, not unknown. */
export function requireRealtime(
  deps: RelayDeps,
  context: Pick<RequestContext, 'caller'>,
  model: string,
  transcribes?: boolean,
): { name: string; modelId: string; type: SessionType } {
  const { group } = context.caller;
  const { name, modelId } = resolveModel(deps.catalog, model, group);
  const types = deps.catalog.model(modelId, group)?.types ?? [];
  const wanted: SessionType[] = transcribes === undefined ? ['realtime', 'transcription'] : [typeOf(transcribes)];
  const type = types.length === 0 ? typeOf(transcribes) : wanted.find((one) => types.includes(one));
  if (type) return { name, modelId, type };
  throw new AppError('invalid_value', `The model '${model}' does not support realtime sessions.`, { param: 'model' });
}

const typeOf = (transcribes = false): SessionType => (transcribes ? 'transcription' : 'realtime');

/** Not every OpenAI-compatible server has sessions, nor does every file transcriber: those with a realtime model do. */
function hasSessions({ catalog }: RelayDeps, { caller: { group } }: RequestContext, candidate: Candidate): boolean {
  if (kindOf(candidate).realtime === undefined) return false;
  const isBeside = ({ channel }: Candidate) => channel.id === candidate.channel.id;
  return (
    candidate.type === 'realtime' ||
    catalog.models(group).some(({ id }) => catalog.candidatesFor(id, 'realtime', group).some(isBeside))
  );
}
