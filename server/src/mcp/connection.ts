import type {
  AuthProvider,
  CallToolResult,
  Client,
  ClientCapabilities,
  JSONRPCMessage,
  StreamableHTTPClientTransport,
  Tool,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { ChurnSet } from '../lib/churn-set.ts';
import type { LingerTimer } from '../lib/linger-timer.ts';
import { boundAnswers } from './bounded-answers.ts';
import { mostAskedMs } from './call-timeout.ts';
import { DirectCalls, type LibrarySession } from './direct-calls.ts';
import { ExactNumbers } from './exact-numbers.ts';
import { abortReason } from './fault.ts';
import { type GuardedTarget, guardedFetch, openListening } from './guarded-fetch.ts';
import { type InitializeInfo, initializeInfoOf } from './initialize-info.ts';
import { type Listing, readListing } from './listing.ts';
import { noValidator } from './no-validator.ts';
import type { AccessToken } from './proofs.ts';
import type { RequestCallbacks, RequestListeners } from './request-callbacks.ts';
import { extensionsOf, taskSupportMeta, withoutClientCapabilities, withoutNewestParams } from './request-params.ts';
import { letQuestionsThrough, type ServerQuestions } from './server-questions.ts';
import { hasTasks, letTasksThrough, taskIn } from './task-answers.ts';

/** A stored session: it can be resumed by its id, without another initialize. */
export interface KeptSession extends InitializeInfo {
  id: string;
  sign?: AccessToken['sign'];
}

export type Params = Record<string, unknown>;

/** A connection to one server. */
export interface Connection extends InitializeInfo {
  /** Null if the server keeps no sessions. */
  sessionId: string | null;
  list(signal: AbortSignal): Promise<Listing>;
  /** The result, or a task if the server continues the call in the background (`taskIn`). */
  call(tool: Called, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>;
  /** Sends any request and returns its answer unchanged; `tool` if the request calls a tool. */
  ask(method: string, params: Params, passing: RequestCallbacks, tool?: Called): Promise<Params>;
  /** Sends a message that gets no answer: the client's reply to a question. */
  tell(message: object): Promise<void>;
  /** Messages the server sends unprompted, after the event with this id; null if it never sends any. */
  listen(after: string | null, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null>;
  /** Also ends the session. */
  close(): Promise<void>;
  /** Leaves the session open, so that it can be resumed. */
  leave(): Promise<void>;
}

export interface Called {
  name: string;
  inputSchema: Record<string, unknown>;
}

export interface Target extends GuardedTarget {
  name: string;
  /** If users or the service sign in to the server: the token of the caller. */
  token?: (() => Promise<AccessToken>) | undefined;
  /** The server rejected this token. Once this resolves there is a new one, and the request is retried once. */
  refused?: ((token: string) => Promise<void>) | undefined;
  /** Protocol extensions to declare to the server. */
  extensions?: string[] | undefined;
  /** The client's capabilities; absent if there is no client to ask. */
  capabilities?: ClientCapabilities | undefined;
  /** Watches calls that take long. */
  slow: LingerTimer;
}

const us = { name: 'svc', version: '1' };
/** Ending a session is a courtesy, so it is not waited for long. */
const farewellMs = 2_000;

/** Each tool is parsed separately, so that one invalid tool does not hide the others. */
const page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });
/** Forwarded answers are validated by the caller. */
const anything = z.looseObject({});

/** Rejects when `signal` aborts, even if the work continues. */
export const within = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(abortReason(signal));
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });

/**
 * Uses the newest protocol that the server supports; one request first finds out whether it is an older one. A stored
 * session is resumed without any request.
 */
export async function connect(target: Target, signal: AbortSignal, kept?: KeptSession): Promise<Connection> {
  const shown = target.token && showing(target.token, target.refused);
  const numbers = new ExactNumbers();
  const fetch = numbers.kept(guardedFetch({ ...target, tokenShown: shown?.tokenShown }));
  // Checked before connecting, so that a caller who has not signed in gets that error.
  await target.token?.();
  // Loaded on the first call: most installations have no servers, and the library's schemas take a while to build.
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const transport = new StreamableHTTPClientTransport(new URL(target.url), {
    fetch,
    requestInit: { redirect: 'manual' },
    ...(shown && { authProvider: shown.provider }),
    ...(kept && { sessionId: kept.id, protocolVersion: kept.about.protocol }),
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
  });
  // Clients' replies to questions bypass the library, and do not count against the limit on the library's own replies.
  const tell = transport.send.bind(transport);
  boundAnswers(transport);
  // No automatic answers to requests for input: the call would be repeated, and there is nobody here to answer.
  const client = new Client(us, {
    versionNegotiation: { mode: 'auto' },
    inputRequired: { autoFulfill: false },
    jsonSchemaValidator: noValidator,
    capabilities: { ...target.capabilities, ...extensionsOf(target) },
  });
  // The library does not say which request a notification belongs to. All requests waiting here get it; they belong to
  // one holder.
  const listeners: RequestListeners = new ChurnSet();
  client.setNotificationHandler('notifications/message', ({ params }) => {
    for (const passing of listeners) passing.log?.(params);
  });
  try {
    await within(signal, client.connect(transport, { signal, timeout: target.timeoutMs }));
  } catch (error) {
    await client.close().catch(() => {});
    throw error;
  }
  const isModern = client.getProtocolEra() === 'modern';
  if (isModern) letTasksThrough(transport);
  const asked = target.capabilities && !isModern ? letQuestionsThrough(transport) : null;
  // Last, so that the others see the numbers as well.
  numbers.restoreIn(transport);
  const introduction = kept ?? initializeInfoOf(client);
  // Not for servers that need a token, which is looked up for each request, nor for the newest protocol, whose headers
  // only the library builds.
  const { lines, slow } = target;
  const direct = lines && !target.token && !isModern ? { lines, slow, listeners } : null;
  const calls = direct && new DirectCalls(target, direct, underlyingOf(transport, asked));
  return {
    about: introduction.about,
    capabilities: introduction.capabilities,
    instructions: introduction.instructions,
    sessionId: transport.sessionId ?? null,
    ...talking(client, target, introduction, { listeners, calls, asked }),
    // Always a response; the library's message type is narrower than needed.
    tell: (message) => tell(message as JSONRPCMessage),
    listen: async (after, leaving) => {
      if (isModern) return null;
      const { sessionId, protocolVersion } = transport;
      const token = await target.token?.();
      const renewed = token && renewing(target, token);
      return openListening(target, { sessionId, protocolVersion, token, renewed, after }, leaving);
    },
    close: async () => {
      const farewell = transport.terminateSession();
      await within(AbortSignal.timeout(farewellMs), farewell).catch(() => {});
      await client.close().catch(() => {});
    },
    leave: () => client.close().catch(() => {}),
  };
}

/** Renews a rejected token once; for calls the library does this itself. */
const renewing = ({ token, refused }: Target, last: AccessToken): (() => Promise<AccessToken>) | undefined =>
  token && refused && (() => refused(last.text).then(token));

/** Retrying after a rejected token is safe: the server has not done anything yet. */
function showing(
  token: NonNullable<Target['token']>,
  refused: Target['refused'],
): { provider: AuthProvider } & Required<Pick<GuardedTarget, 'tokenShown'>> {
  let last: AccessToken = { text: '' };
  const next = async (): Promise<AccessToken> => {
    last = await token();
    return last;
  };
  return {
    provider: {
      token: async () => (await next()).text,
      ...(refused && { onUnauthorized: () => refused(last.text) }),
    },
    // A concurrent request may have fetched another token meanwhile.
    tokenShown: (text) => (last.text === text ? last : next()),
  };
}

function talking(
  client: Client,
  target: Target,
  { capabilities }: InitializeInfo,
  {
    listeners,
    calls,
    asked,
  }: { listeners: RequestListeners; calls: DirectCalls | null; asked: ServerQuestions | null },
): Pick<Connection, 'list' | 'call' | 'ask'> {
  const { name: server, timeoutMs: timeout } = target;
  const isModern = client.getProtocolEra() === 'modern';
  // Given the definition, the library does not list the tools first.
  const definitionOf = (tool: Called) => ({ name: tool.name, inputSchema: tool.inputSchema }) as Tool;
  const askLibrary: Connection['ask'] = async (method, params, passing, tool) => {
    // In the newest protocol each request carries its log level.
    if (isModern && method === 'logging/setLevel') return {};
    const { signal, progress } = passing;
    // Requests for input are returned to the caller, who answers them.
    const options = {
      ...{ signal, allowInputRequired: true, ...(progress && { onprogress: progress }) },
      // While the client is asked, the owner of the signal enforces the time limit.
      timeout: asked && passing.asking ? timeout + mostAskedMs : timeout,
    };
    // The library declares an older client's capabilities itself; if this request has no client to ask, leave them out.
    const said = isModern && !passing.asking ? withoutClientCapabilities(target, params) : params;
    // In the newest protocol, the library copies marked arguments into headers.
    const work: Promise<object> =
      isModern && tool
        ? client.callTool(said as { name: string }, {
            ...options,
            toolDefinition: definitionOf(tool),
          })
        : client.request({ method, params: isModern ? said : withoutNewestParams(params) }, anything, options);
    const answer = (await heard(
      listeners,
      passing,
      asked ? asked.during(passing, within(signal, work)) : within(signal, work),
    )) as Params;
    const task = taskIn(answer);
    if (task && !tool) throw unwantedTask();
    return task ?? answer;
  };
  return {
    list: async (signal) => {
      if (!capabilities.tools) return { definitions: [], cut: false };
      const one = (cursor: string | undefined) =>
        client.request({ method: 'tools/list', params: cursor === undefined ? {} : { cursor } }, page, {
          ...{ signal, timeout },
        });
      return within(signal, readListing(server, one, isModern));
    },
    call: async (tool, args, signal) => {
      const options = { signal, timeout, toolDefinition: definitionOf(tool) };
      // Only a server that supports tasks is told that we wait for them.
      const said = isModern && hasTasks(capabilities) ? taskSupportMeta(target) : {};
      const answer = await within(signal, client.callTool({ name: tool.name, arguments: args, ...said }, options));
      if (taskIn(answer) && !hasTasks(capabilities)) throw unwantedTask();
      return answer;
    },
    ask: (method, params, passing, tool) =>
      calls && tool && !passing.progress
        ? calls.call(withoutNewestParams(params), passing)
        : askLibrary(method, params, passing, tool),
  };
}

/** Only tool calls may be answered with a task, and only if the caller waits for tasks. */
const unwantedTask = (): Error => new Error('a task that was not requested');

/** Notifications that arrive before the answer go to the request that waits. */
async function heard<T>(listeners: RequestListeners, passing: RequestCallbacks, work: Promise<T>): Promise<T> {
  listeners.add(passing);
  try {
    return await work;
  } finally {
    listeners.delete(passing);
  }
}

const underlyingOf = (transport: StreamableHTTPClientTransport, asked: ServerQuestions | null): LibrarySession => ({
  sessionId: () => transport.sessionId,
  protocol: () => transport.protocolVersion,
  hear: (message, of) => {
    if (!asked?.take(message, of)) transport.onmessage?.(message as JSONRPCMessage);
  },
  cancel: (requestId) => {
    const params = { requestId, reason: 'The caller has stopped waiting.' };
    // A courtesy: otherwise the server would finish work that is no longer needed.
    void transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {});
  },
});
