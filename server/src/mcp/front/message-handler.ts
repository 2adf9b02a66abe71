import type { JSONRPCRequest, McpHttpHandler, Result, Server, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { LingerTimer } from '../../lib/linger-timer.ts';
import type { Log } from '../../platform/log.ts';
import { capabilitiesOfHolder } from '../client-capabilities.ts';
import type { Params } from '../connection.ts';
import type { InitializeInfo } from '../initialize-info.ts';
import { noValidator } from '../no-validator.ts';
import type { LogMessage } from '../request-callbacks.ts';
import { clientMetaKeys } from '../request-params.ts';
import { DirectAnswer, type DirectCall, quietMs, type ResponseWriter } from './direct-answer.ts';
import {
  badParams,
  type Endpoint,
  type Exchange,
  noMethod,
  type Requester,
  type RpcError,
  statusOf,
  Unavailable,
} from './endpoint.ts';
import { cannotBeAsked, needsInput } from './input-rounds.ts';
import { type LateStatus, withStatus } from './late-status.ts';
import { type LogLevels, levels } from './log-levels.ts';
import type { Running, RunningCalls } from './running-calls.ts';
import { isTaskMethod } from './tasks.ts';
import { toRpcError } from './to-rpc-error.ts';

/** One HTTP request: the endpoint it is for, and its caller. */
export interface EndpointRequest extends LateStatus {
  served: Endpoint;
  introduction: InitializeInfo;
  asker: Requester;
  /** Identifies the client, if it may cancel requests by a message; otherwise null. */
  client: string | null;
}

/** A turn that no longer needs an introduction. */
export type InitializedRequest = Omit<EndpointRequest, 'introduction'>;

/** Messages sent to the client before the answer. */
type Said = Required<Pick<Exchange, 'log' | 'say'>>;

interface ServeDeps {
  underWay: RunningCalls;
  logLevels: LogLevels;
  log: Log;
}

/** Serves messages in every protocol revision that the library knows, each request on its own. */
export class MessageHandler {
  #handler: Promise<McpHttpHandler> | undefined;
  readonly #quiet = new LingerTimer(quietMs);

  constructor(private readonly deps: ServeDeps) {}

  /** Bypasses the library, which would build a server for each request. */
  answerDirectly(call: DirectCall, turn: InitializedRequest, written: ResponseWriter): Promise<Response> {
    const answer = new DirectAnswer(call, written);
    void this.#workOn(answer, call, turn);
    return answer.response;
  }

  async #workOn(answer: DirectAnswer, call: DirectCall, turn: InitializedRequest): Promise<void> {
    const exchange = new OneExchange(turn, call, answer, this.deps);
    this.#quiet.add(answer);
    try {
      answer.end(exchange.checked(await exchange.answered()));
    } catch (error) {
      answer.fail(exchange.fault(error));
    } finally {
      exchange.end();
      this.#quiet.remove(answer);
    }
  }

  /** Whether the parameters of `initialize` are invalid; the library would report that as an internal error of ours. */
  async isMalformed(beginning: object): Promise<boolean> {
    const { isInitializeRequest, isJSONRPCRequest } = await import('@modelcontextprotocol/server');
    return isJSONRPCRequest(beginning) && !isInitializeRequest(beginning);
  }

  async answer(request: Request, message: unknown, turn: EndpointRequest): Promise<Response> {
    this.#handler ??= this.#load();
    const handler = await this.#handler;
    // The only value that the library passes through to the handler. The caller is authenticated already.
    const extra = { turn, isServed: isServed(turn, message), isTask: isTaskMethod(methodOf(message)) };
    const authInfo = { token: '', clientId: '', scopes: [], extra };
    const response = await handler.fetch(request, { parsedBody: message, authInfo });
    // Each message of a batch has its own error.
    return withStatus(response, Array.isArray(message) ? undefined : idOf(message), turn, this.#quiet);
  }

  /** Loaded with the first request: most installations get none, and building the library's schemas takes a while. */
  async #load(): Promise<McpHttpHandler> {
    const library = await import('@modelcontextprotocol/server');
    return library.createMcpHandler(({ authInfo }) => {
      // Set by `answer`; the library types it as unknown values.
      const { turn, ...what } = authInfo!.extra as unknown as Asking & { turn: EndpointRequest };
      return serverFor(library.Server, turn, this.deps, what);
    });
  }

  async stop(): Promise<void> {
    await (await this.#handler)?.close();
  }
}

/** Messages of a batch are checked one by one, since each gets its own answer. */
const isServed = ({ served }: EndpointRequest, message: unknown): boolean =>
  Array.isArray(message) || served.serves(methodOf(message));

const methodOf = (message: unknown): string => String((message as { method?: unknown }).method);

const idOf = (message: unknown): unknown => (message as { id?: unknown }).id;

/** What is known of a message before the library parses it. */
interface Asking {
  isServed: boolean;
  isTask: boolean;
}

/** Forwarded content is not validated; that is left to its receiver. */
const anything = z.looseObject({});

function serverFor(Maker: typeof Server, turn: EndpointRequest, deps: ServeDeps, { isServed, isTask }: Asking): Server {
  const { about, capabilities, instructions } = turn.introduction;
  const { name, version } = about;
  const server = new Maker(
    { name, version },
    { capabilities, jsonSchemaValidator: noValidator, ...(instructions !== undefined && { instructions }) },
  );
  const answer = ({ method, params }: JSONRPCRequest, { mcpReq }: ServerContext) => {
    // Sending fails if the client disconnected, which is not an error.
    const log: Said['log'] = ({ level, data, logger }) => void mcpReq.log(level, data, logger).catch(() => {});
    const newest = mcpReq.envelope !== undefined;
    const asked = { id: mcpReq.id, method, params: whole(params ?? {}, mcpReq), newest };
    const say = (message: object) =>
      // Already in the protocol's form. The library's own request method would assign an id, and wait here for an
      // answer that may arrive in another process.
      void server.transport?.send(message as JSONRPCRequest, { relatedRequestId: mcpReq.id }).catch(() => {});
    return answerOne(new OneExchange(turn, asked, { log, say }, deps, mcpReq), deps.logLevels);
  };
  // Handles every method that the library does not answer itself. It then validates neither params nor results, which
  // are forwarded. A method not served here is left to the library, which rejects it with the status that the request's
  // revision requires.
  if (isServed) server.fallbackRequestHandler = answer;
  // These methods were once part of the core protocol: the library passes them only to handlers registered for them.
  if (isServed && isTask)
    for (const method of ['tasks/get', 'tasks/cancel'])
      server.setRequestHandler(method, { params: anything }, (params, context) =>
        answer({ jsonrpc: '2.0', id: context.mcpReq.id, method, params }, context),
      );
  if (capabilities.logging)
    server.setRequestHandler('logging/setLevel', { params: anything }, (params, context) =>
      answer({ jsonrpc: '2.0', id: context.mcpReq.id, method: 'logging/setLevel', params }, context),
    );
  return server;
}

interface Asked {
  id: string | number;
  method: string;
  params: Params;
  /** The request is of the revision without sessions. */
  newest: boolean;
}

async function answerOne(exchange: OneExchange, logLevels: LogLevels): Promise<Result> {
  const { method, params } = exchange.asked;
  try {
    const result = exchange.checked(await exchange.answered());
    if (method === 'logging/setLevel' && exchange.inSession)
      await logLevels.set(exchange.holder, params.level as string);
    return result as Result;
  } catch (error) {
    throw exchange.fault(error);
  } finally {
    exchange.end();
  }
}

/** Rejects params that no server needs to see. Tools are listed on a single page, so there are no cursors. */
function refuseOdd(method: string, { level, cursor }: Params): void {
  if (method === 'logging/setLevel' && !levels.includes(level as string))
    throw badParams(`level must be one of ${levels.join(', ')}`);
  // Some clients send an empty cursor.
  if (method === 'tools/list' && cursor) throw badParams('Unknown cursor');
}

/** One message of a client, as its handler sees it. */
class OneExchange implements Exchange {
  readonly caller: Exchange['caller'];
  readonly holder: string;
  readonly origin: Exchange['origin'];
  readonly requestId: string;
  readonly headers: Exchange['headers'];
  readonly say: Exchange['say'];
  readonly progress: Exchange['progress'];
  readonly newest: boolean;
  readonly deaf: boolean;
  /** Whether the client has a session: it may cancel requests by a message, and its settings are remembered. */
  readonly inSession: boolean;
  readonly #running: Running | null;
  #signal: AbortSignal | undefined;

  constructor(
    private readonly turn: InitializedRequest,
    readonly asked: Asked,
    private readonly said: Said,
    private readonly deps: ServeDeps,
    private readonly mcpReq?: ServerContext['mcpReq'],
  ) {
    const { served, asker, client } = turn;
    this.caller = asker.caller;
    this.holder = asker.holder;
    this.origin = asker.origin;
    this.requestId = asker.requestId;
    this.headers = asker.headers;
    this.newest = asked.newest;
    this.inSession = client !== null;
    this.say = this.inSession && capabilitiesOfHolder(asker.holder) !== '' ? sayingTo(said) : undefined;
    this.progress = mcpReq && progressOf(mcpReq);
    this.deaf = asked.newest || !served.speaks;
    this.#running = client === null ? null : deps.underWay.begin(client, asked.id);
  }

  /** Passes the request to the endpoint it is for. */
  answered(): Promise<Params> {
    const { method, params } = this.asked;
    if (isTaskMethod(method) && !this.newest) throw noMethod(method);
    if (isSubscribing(method) && (this.newest || !this.inSession)) throw noMethod(method);
    refuseOdd(method, params);
    const told = this.inSession ? this.deps.logLevels.told(this.holder, params) : params;
    return this.turn.served.answer(method, told, this);
  }

  checked(result: Params): Params {
    if (!this.newest && (needsInput(result) || result.resultType === 'task')) throw cannotBeAsked();
    return result;
  }

  /** Converts any error to a JSON-RPC error, and sets the status. */
  fault(error: unknown): RpcError {
    const told = toRpcError(error, this.requestId, this.deps.log);
    const status = statusOf(told, this.newest);
    if (status !== 200) this.turn.status = status;
    if (told instanceof Unavailable) this.turn.unavailable = told;
    return told;
  }

  end(): void {
    this.#running?.end();
  }

  log(message: LogMessage): void {
    if (!this.inSession || this.deps.logLevels.hears(this.holder, message)) this.said.log(message);
  }

  get signal(): AbortSignal {
    const all = [this.turn.asker.signal, this.mcpReq?.signal, this.#running?.signal];
    this.#signal ??= AbortSignal.any(all.filter((one) => one !== undefined));
    return this.#signal;
  }
}

const sayingTo =
  (said: Said): Exchange['say'] =>
  (message) =>
    said.say(message);

/** Updates are sent within a session, and the newest revision has none. */
const isSubscribing = (method: string): boolean =>
  method === 'resources/subscribe' || method === 'resources/unsubscribe';

function progressOf(mcpReq: ServerContext['mcpReq']): Exchange['progress'] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress) => {
    const params = { ...progress, progressToken };
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** Restores what the library took out of the params: the handler needs all of it. */
function whole(params: Params, { envelope, _meta, inputResponses, requestState }: ServerContext['mcpReq']): Params {
  if (envelope === undefined) return params;
  const said = Object.entries(envelope).filter(([name]) => clientMetaKeys.has(name));
  const state = requestState();
  return {
    ...params,
    ...(inputResponses && { inputResponses }),
    ...(state !== undefined && { requestState: state }),
    _meta: { ..._meta, ...Object.fromEntries(said) },
  };
}
