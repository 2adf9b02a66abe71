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
import type { Lingering } from '../lib/lingering.ts';
import { type AskedBack, letQuestionsThrough } from './asked-back.ts';
import { boundAnswers } from './bounded-answers.ts';
import { DirectCalls, type Underlying } from './direct-calls.ts';
import { givenUp } from './fault.ts';
import { type GuardedTarget, guardedFetch, openListening } from './guarded-fetch.ts';
import { type Introduction, introductionOf } from './introduction.ts';
import { type Listing, readListing } from './listing.ts';
import { noValidator } from './no-validator.ts';
import { asBefore, extensionsOf, unasked, waiting } from './params-behind.ts';
import type { Hearing, Passing } from './passing.ts';
import { mostAskedMs } from './patience.ts';
import type { AccessToken } from './proofs.ts';
import { hasTasks, letTasksThrough, taskIn } from './task-answers.ts';

/** A session as it is kept: whoever names it goes on with it, and need not be introduced again. */
export interface KeptSession extends Introduction {
  id: string;
  sign?: AccessToken['sign'];
}

export type Params = Record<string, unknown>;

/** One server, spoken to. */
export interface Connection extends Introduction {
  /** Null where the server keeps none. */
  sessionId: string | null;
  list(signal: AbortSignal): Promise<Listing>;
  /** What it comes to, or a task by which the server goes on with it (`taskIn`). */
  call(tool: Called, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>;
  /** Any request, with its answer as it comes; `tool` for one that calls a tool. */
  ask(method: string, params: Params, passing: Passing, tool?: Called): Promise<Params>;
  /** Says something that nothing is answered to: what the client answers when it is asked. */
  tell(message: object): Promise<void>;
  /** What the server says by itself, after the event of this id; null where it never does. */
  listen(after: string | null, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null>;
  /** Ends the session as well. */
  close(): Promise<void>;
  /** Leaves the session open, for whoever goes on with it. */
  leave(): Promise<void>;
}

export interface Called {
  name: string;
  inputSchema: Record<string, unknown>;
}

export interface Target extends GuardedTarget {
  name: string;
  /** Where users sign in to it, or the service does: the token of the one it is called for. */
  token?: (() => Promise<AccessToken>) | undefined;
  /** It does not take this token; whoever returns from here has another, with which it is asked once more. */
  refused?: ((token: string) => Promise<void>) | undefined;
  /** Extensions of the protocol that it is told of. */
  extensions?: string[] | undefined;
  /** What the client can be asked; absent where nobody can be. */
  capabilities?: ClientCapabilities | undefined;
  /** Calls that take a while. */
  slow: Lingering;
}

const us = { name: 'svc', version: '1' };
/** A farewell is a courtesy: nobody waits long for it. */
const farewellMs = 2_000;

/** Each tool is read by itself, so that one that is none does not hide the others. */
const page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });
/** What is passed on is whoever asked's to read. */
const anything = z.looseObject({});

/** Rejects when `signal` aborts, whatever the work does. */
export const within = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(givenUp(signal));
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });

/**
 * Speaks the newest protocol that the server does; servers of before are told apart by one question first. With a session
 * that was kept, nothing is asked.
 */
export async function connect(target: Target, signal: AbortSignal, kept?: KeptSession): Promise<Connection> {
  const shown = target.token && showing(target.token, target.refused);
  const fetch = guardedFetch({ ...target, tokenShown: shown?.tokenShown });
  // Asked before anything is opened: who has not signed in is told so, and nobody else is.
  await target.token?.();
  // Loaded by the first call: most installations connect nothing, and its schemas take a while to build.
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
  // What clients say to questions is not for the library, and not bounded with what it says itself.
  const tell = transport.send.bind(transport);
  boundAnswers(transport);
  // Asking for input means that the call is made again, which here nobody could answer for.
  const client = new Client(us, {
    versionNegotiation: { mode: 'auto' },
    inputRequired: { autoFulfill: false },
    jsonSchemaValidator: noValidator,
    capabilities: { ...target.capabilities, ...extensionsOf(target) },
  });
  // The library does not say which request a message belongs to: all that wait here hear it, and they are one holder's.
  const hearing: Hearing = new ChurnSet();
  client.setNotificationHandler('notifications/message', ({ params }) => {
    for (const passing of hearing) passing.log?.(params);
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
  const introduction = kept ?? introductionOf(client);
  // A token is asked for anew with each request, and what the newest protocol puts into headers is the library's to know.
  const { lines, slow } = target;
  const direct = lines && !target.token && !isModern ? { lines, slow, hearing } : null;
  const calls = direct && new DirectCalls(target, direct, underlyingOf(transport, asked));
  return {
    about: introduction.about,
    capabilities: introduction.capabilities,
    instructions: introduction.instructions,
    sessionId: transport.sessionId ?? null,
    ...talking(client, target, introduction, { hearing, calls, asked }),
    // A response, which the library's own type of a message would only narrow further.
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

/** Once, as for calls: the library does that for those. */
const renewing = ({ token, refused }: Target, last: AccessToken): (() => Promise<AccessToken>) | undefined =>
  token && refused && (() => refused(last.text).then(token));

/** A server that refuses a token has done nothing yet. */
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
    // Another request may have been given another one meanwhile.
    tokenShown: (text) => (last.text === text ? last : next()),
  };
}

function talking(
  client: Client,
  target: Target,
  { capabilities }: Introduction,
  { hearing, calls, asked }: { hearing: Hearing; calls: DirectCalls | null; asked: AskedBack | null },
): Pick<Connection, 'list' | 'call' | 'ask'> {
  const { name: server, timeoutMs: timeout } = target;
  const isModern = client.getProtocolEra() === 'modern';
  // With the definition given, the library asks for none itself, and calls once.
  const definitionOf = (tool: Called) => ({ name: tool.name, inputSchema: tool.inputSchema }) as Tool;
  const askLibrary: Connection['ask'] = async (method, params, passing, tool) => {
    // The newest protocol says with each request how much it wants to hear.
    if (isModern && method === 'logging/setLevel') return {};
    const { signal, progress } = passing;
    // What a server wants to know before it answers is for whoever asked to say.
    const options = {
      ...{ signal, allowInputRequired: true, ...(progress && { onprogress: progress }) },
      // While the client is asked, whoever gave the signal looks after the time.
      timeout: asked && passing.asking ? timeout + mostAskedMs : timeout,
    };
    // What a client of before can be asked is said by the library, where somebody asks it.
    const said = isModern && !passing.asking ? unasked(target, params) : params;
    // There, arguments that a tool wants as headers are put there by the library.
    const work: Promise<object> =
      isModern && tool
        ? client.callTool(said as { name: string }, {
            ...options,
            toolDefinition: definitionOf(tool),
          })
        : client.request({ method, params: isModern ? said : asBefore(params) }, anything, options);
    const answer = (await heard(
      hearing,
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
      // A server hears that a task is waited for only where it has some.
      const said = isModern && hasTasks(capabilities) ? waiting(target) : {};
      const answer = await within(signal, client.callTool({ name: tool.name, arguments: args, ...said }, options));
      if (taskIn(answer) && !hasTasks(capabilities)) throw unwantedTask();
      return answer;
    },
    ask: (method, params, passing, tool) =>
      calls && tool && !passing.progress
        ? calls.call(asBefore(params), passing)
        : askLibrary(method, params, passing, tool),
  };
}

/** Only calls may be answered with a task, and only those of whoever waits for it. */
const unwantedTask = (): Error => new Error('a task, which nobody has asked for');

/** What is said until the answer comes goes to whoever waits for it. */
async function heard<T>(hearing: Hearing, passing: Passing, work: Promise<T>): Promise<T> {
  hearing.add(passing);
  try {
    return await work;
  } finally {
    hearing.delete(passing);
  }
}

const underlyingOf = (transport: StreamableHTTPClientTransport, asked: AskedBack | null): Underlying => ({
  sessionId: () => transport.sessionId,
  protocol: () => transport.protocolVersion,
  hear: (message, of) => {
    if (!asked?.take(message, of)) transport.onmessage?.(message as JSONRPCMessage);
  },
  cancel: (requestId) => {
    const params = { requestId, reason: 'The caller waits no longer.' };
    // A courtesy: without it the server works to the end for nobody.
    void transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {});
  },
});
