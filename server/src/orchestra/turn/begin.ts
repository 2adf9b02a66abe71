import type { CallsOfWork } from '../../billing/types.ts';
import { nowSeconds } from '../../lib/clock.ts';
import type { ConnectedTool } from '../../lib/connected-tools.ts';
import { AppError } from '../../lib/errors.ts';
import { requestId } from '../../lib/ids.ts';
import type { Db } from '../../platform/db/tables.ts';
import { rowBytes } from '../../platform/storage-quota/sizes.ts';
import type { Conversation } from '../../relay/wire/conversation.ts';
import { parseOverride } from '../../routing/override.ts';
import { alignHistory } from '../align-history.ts';
import { mayContinue, refuseMemory, storedSessionId, withoutMemory } from '../application-memory.ts';
import { withStoredIds } from '../call-ids.ts';
import { namesAny } from '../connected-names.ts';
import { requireNamed } from '../connected-tools.ts';
import { modelsWithWindow } from '../fit-window.ts';
import { leastRead, messageGroupsOf } from '../message-groups.ts';
import { type ChatMessage, isInstruction, type StoredTurnMessage } from '../messages.ts';
import { allowedChoosing, requireChatModel, requireMoney } from '../model-access.ts';
import { parseSvcMs } from '../params.ts';
import { aged } from '../patterns.ts';
import type { Caller, Deps } from '../ports.ts';
import { withDefaults } from '../preferences.ts';
import { newFence } from '../prompts/fence.ts';
import { resolveSettings, type Settings } from '../settings.ts';
import { appendMessages, bytesOfMessages, recentMessages } from '../store/messages.ts';
import { loadPatterns } from '../store/patterns.ts';
import { abandonPlans, openCalls, planOfCalls, type StoredPlan } from '../store/plans.ts';
import { loadPreferences } from '../store/preferences.ts';
import { findSession, newSessionId, openSession, type Session, sessionByRef, sessionIdOf } from '../store/sessions.ts';
import { countText, weigh } from '../tokens.ts';
import { yieldToEventLoop } from '../work-slices.ts';
import { bodyOf, type ChatBody, checkForced, resultsAndRemarks } from './body.ts';
import { lockTurn } from './lock.ts';
import { newMeter } from './meter.ts';
import { newProgress, type Turn } from './turn.ts';
import { withPlanIds } from './waiting-plan.ts';
import { newWriter, type TurnOutput } from './writer.ts';

export interface TurnRequest {
  caller: Caller;
  conversation: Conversation;
  signal: AbortSignal;
  /** Id of the HTTP request. */
  requestId?: string;
  /** Set for calls of durable work. */
  calls?: CallsOfWork | undefined;
}

/** Validates the request, and that the caller may use the models and tools it asks for; changes nothing. */
export async function checkTurn(deps: Deps, request: Omit<TurnRequest, 'signal'>) {
  const { conversation } = request;
  const caller: Caller = {
    ...(await withApplication(deps, request.caller)),
    override: parseOverride(conversation.source?.body.provider),
    parentRequestId: request.requestId ?? requestId(),
  };
  const body = bodyOf(conversation);
  const asked = parseSvcMs(body.svc_ms);
  refuseMemory(caller, asked);
  const preferences = withDefaults(await loadPreferences(deps.db, caller.userId));
  const settings = withoutMemory(caller, resolveSettings(asked, preferences));
  const named = await requireNamed(deps, caller, settings.connected_tools, 'svc_ms.connected_tools');
  checkForced(body, settings, named);
  const models = await deps.models(caller);
  await requireChatModel(deps, caller, models, settings.force_model);
  // What a process that died had paid for is answered also without a balance.
  if (!request.calls) await requireMoney(deps, caller, models, settings.force_model);
  return { caller, body, settings, named, models };
}

/** Background work knows only the key, so whose it is is looked up, among what is cached. */
export const withApplication = async ({ permit }: Pick<Deps, 'permit'>, caller: Caller): Promise<Caller> =>
  caller.keyId === null ? caller : { ...caller, application: (await permit(caller)).application };

/** Step 1: checks the request, locks the session and stores the user's message before anything else runs. */
export async function beginTurn(deps: Deps, request: TurnRequest, out: TurnOutput): Promise<Turn> {
  const startedMs = deps.clock.steadyMs();
  const { signal } = request;
  const { caller, body: sent, settings, named, models } = await checkTurn(deps, request);
  const body = { ...sent, messages: await withPlanIds(deps, caller, sent.messages, settings) };
  // Check the storage limit before creating a session: otherwise a rejected request would leave an empty one.
  await deps.storage.take(caller.userId, rowBytes);
  const { session, resumed, release } = await takeSession(deps, caller, body, withSession(settings, request), signal);
  try {
    const { history, freshIds } = await storeIncoming(deps, session, body.messages);
    if (!resumed) await abandonPlans(deps.db, session.ref, nowSeconds(deps.clock));
    const connected = settings.connected_tools === undefined ? await connectedBefore(deps, caller, resumed) : named;
    const instructions = await weigh(body.messages.filter(isInstruction));
    const needed = leastRead(messageGroupsOf(history)) + instructions.reduce((sum, tokens) => sum + tokens, 0);
    const unnamed = settings.session_id === undefined && !resumed;
    const patterns = aged(await loadPatterns(deps.db, caller.userId), nowSeconds(deps.clock));
    const usable = allowedChoosing(caller, { settings, operator: deps.operator(), models, patterns });
    const choosing = modelsWithWindow(usable, needed);
    return {
      deps,
      caller,
      signal,
      body,
      // A client without a session id cannot return to this session: its summary would be made with every request and
      // never read.
      settings: unnamed ? { ...settings, summarises: false } : settings,
      session,
      choosing,
      tooSmall: usable.models.filter((model) => !choosing.models.includes(model)).map(({ id }) => id),
      fence: newFence(),
      count: countText,
      meter: newMeter(),
      writer: newWriter(out, settings),
      progress: newProgress(),
      history,
      freshIds: unnamed ? sinceRequest(history, freshIds) : freshIds,
      request: resumed?.state.request ?? lastOfUser(body.messages),
      resumed,
      outcomes: [],
      connected,
      startedMs,
      release,
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/**
 * A client that sends results of its own tools need not name the connected tools again; tools that no longer exist are
 * left out.
 */
async function connectedBefore(
  { connectedTools }: Deps,
  { userId }: Caller,
  resumed: StoredPlan | null,
): Promise<ConnectedTool[]> {
  const names = resumed?.state.connected;
  if (!namesAny(names)) return [];
  const all = await connectedTools.list(userId);
  return names === true ? all : all.filter(({ name }) => names.includes(name));
}

/** Derives the session id from the work, so that a process that takes it over continues in the same session. */
const withSession = (settings: Settings, { calls }: TurnRequest): Settings =>
  calls ? { ...settings, session_id: settings.session_id ?? sessionIdOf(calls.work) } : settings;

interface Taken {
  session: Session;
  resumed: StoredPlan | null;
  release(): Promise<void>;
}

/**
 * The session of the waiting plan that these tool results belong to, else the named one, else a new one; locked for
 * this turn.
 */
async function takeSession(
  deps: Deps,
  caller: Caller,
  body: ChatBody,
  settings: Settings,
  signal: AbortSignal,
): Promise<Taken> {
  const { db } = deps;
  const time = nowSeconds(deps.clock);
  const { results, remarks } = resultsAndRemarks(body.messages);
  const answered = results.flatMap(({ tool_call_id }) => tool_call_id ?? []);
  refuseRepeated(answered);
  const { userId } = caller;
  const found = await planWithin(db, caller, answered, time);
  // With a new message beside some of the results, the user has moved on: the plan is abandoned.
  const waiting = found && (remarks.length === 0 || isAnswered(found, answered)) ? found : null;
  if (waiting) checkResults(waiting, answered);
  else if (remarks.length === 0) await refuseUnknown(deps, caller, body, settings, answered);
  const { session_id: given = newSessionId(), project_id: projectId } = settings;
  const sessionId = storedSessionId(caller, given);
  const session =
    (waiting && (await sessionByRef(db, waiting.sessionRef, time))) ??
    (await openSession(db, { userId, sessionId, projectId }, time)).session;
  const release = await lockTurn(deps, `ms-turn:${userId}:${session.sessionId}`, signal);
  // Another request may have resumed or abandoned the plan while this one waited for the lock.
  const resumed = waiting && (await planOfCalls(db, userId, answered, nowSeconds(deps.clock)));
  return { session, resumed, release };
}

/** The waiting plan of these calls, unless it is of a session that the caller may not continue. */
async function planWithin(db: Db, caller: Caller, answered: string[], time: number): Promise<StoredPlan | null> {
  const found = await planOfCalls(db, caller.userId, answered, time);
  if (!found || (caller.application ?? null) === null) return found;
  const session = await sessionByRef(db, found.sessionRef, time);
  return session && mayContinue(caller, session.sessionId) ? found : null;
}

const isAnswered = ({ state }: StoredPlan, answered: string[]): boolean =>
  openCalls(state).every(({ id }) => answered.includes(id));

/** Some vendors refuse a call with two results, and the session would keep it. */
function refuseRepeated(answered: string[]): void {
  const seen = new Set<string>();
  const twice = answered.find((id) => seen.has(id) || !seen.add(id));
  if (twice === undefined) return;
  const message = `messages: tool_call_id appears more than once: ${twice}`;
  throw new AppError('invalid_value', message, { param: 'messages' });
}

function checkResults(plan: StoredPlan, answered: string[]): void {
  const open = new Set(openCalls(plan.state).map(({ id }) => id));
  const unknown = answered.filter((id) => !open.has(id));
  if (unknown.length > 0) {
    const message = `messages: tool_call_id matches no pending call: ${unknown.join(', ')}`;
    throw new AppError('invalid_value', message, { param: 'messages' });
  }
  const missing = [...open.difference(new Set(answered))];
  if (missing.length > 0) {
    throw new AppError('invalid_value', `Results are missing for tool calls: ${missing.join(', ')}`, {
      param: 'messages',
    });
  }
}

/** Tool results must answer known calls: in the messages of the request, or in those stored in the session. */
async function refuseUnknown(
  { db, clock }: Deps,
  caller: Caller,
  { messages }: ChatBody,
  { session_id: sessionId }: Settings,
  answered: string[],
): Promise<void> {
  const madeIn = (list: ChatMessage[]) =>
    new Set(list.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)));
  const made = madeIn(messages);
  let unknown = answered.filter((id) => !made.has(id));
  if (unknown.length > 0 && sessionId !== undefined) {
    const session = await findSession(db, caller.userId, storedSessionId(caller, sessionId), nowSeconds(clock));
    const kept = madeIn(session ? (await recentMessages(db, session.ref)).map(({ message }) => message) : []);
    unknown = unknown.filter((id) => !kept.has(id));
  }
  if (unknown.length === 0) return;
  const message = `messages: tool_call_id matches no known call: ${unknown.join(', ')}`;
  throw new AppError('invalid_value', message, { param: 'messages' });
}

async function storeIncoming(
  deps: Deps,
  session: Session,
  incoming: ChatMessage[],
): Promise<{ history: StoredTurnMessage[]; freshIds: number[] }> {
  const stored = await recentMessages(deps.db, session.ref);
  await yieldToEventLoop();
  const known = stored.map(({ message }) => message);
  const { keep, fresh } = alignHistory(known, withStoredIds(known, incoming));
  const weights = await weigh(fresh);
  const added = fresh.map((message, i) => ({ message, tokens: weights[i]! }));
  const keepUpTo = keep < stored.length ? (stored[keep - 1]?.id ?? 0) : undefined;
  const kept: StoredTurnMessage[] = stored.slice(0, keep);
  if (added.length === 0 && keepUpTo === undefined) return { history: kept, freshIds: [] };
  await deps.storage.take(session.userId, bytesOfMessages(added));
  const saved = await appendMessages(deps.db, session.ref, added, nowSeconds(deps.clock), keepUpTo);
  // The session was deleted meanwhile: answer anyway; its messages are not stored and get temporary ids.
  const next = (kept.at(-1)?.id ?? 0) + 1;
  const rows: StoredTurnMessage[] = saved ?? added.map((item, i) => ({ ...item, id: next + i }));
  return { history: [...kept, ...rows], freshIds: saved ? rows.map(({ id }) => id) : [] };
}

/**
 * A client without a session id sends its whole history with every request, each time into a new session. Messages
 * before the request were already indexed by an earlier session, and would be indexed and embedded again in every turn.
 */
function sinceRequest(history: StoredTurnMessage[], freshIds: number[]): number[] {
  const request = history.findLast(({ message }) => message.role === 'user');
  return freshIds.filter((id) => id >= (request?.id ?? 0));
}

const lastOfUser = (messages: ChatMessage[]): ChatMessage =>
  messages.findLast(({ role }) => role === 'user') ?? messages.at(-1)!;
