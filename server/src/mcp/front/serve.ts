import type { JSONRPCRequest, McpHttpHandler, Result, Server, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Lingering } from '../../lib/lingering.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import type { Log } from '../../platform/log.ts';
import { abilitiesOf } from '../abilities.ts';
import type { Params } from '../connection.ts';
import type { Introduction } from '../introduction.ts';
import { noValidator } from '../no-validator.ts';
import { saidOfClient } from '../params-behind.ts';
import type { LogMessage } from '../passing.ts';
import { type LogLevels, levels } from './log-levels.ts';
import { cannotBeAsked, wantsToKnow } from './rounds.ts';
import { type Asker, badParams, type Exchange, noMethod, RpcError, type Served, statusOf } from './served.ts';
import { quietMs, StraightAnswer, type StraightCall, type Written } from './straight.ts';
import { isTaskMethod } from './tasks.ts';
import type { Running, UnderWay } from './under-way.ts';

/** One request over HTTP: what it is for, and for whom. */
export interface Turn {
  served: Served;
  introduction: Introduction;
  asker: Asker;
  /** Names the client where it may take requests back by a message. */
  client: string | null;
  /** Noted on the way: the library gives whatever is thrown by those who answer the status of an answer. */
  status?: number;
}

/** What needs no introduction any more. */
export type Introduced = Omit<Turn, 'introduction'>;

/** What is told of a message before its answer. */
type Said = Required<Pick<Exchange, 'log' | 'say'>>;

interface ServeDeps {
  underWay: UnderWay;
  logLevels: LogLevels;
  log: Log;
}

/** Serves messages in every revision of the protocol that the library knows, each request by itself. */
export class Serving {
  #handler: Promise<McpHttpHandler> | undefined;
  readonly #quiet = new Lingering(quietMs);

  constructor(private readonly deps: ServeDeps) {}

  /** Past the library, which would build a server for each. */
  answerStraight(call: StraightCall, turn: Introduced, written: Written): Promise<Response> {
    const answer = new StraightAnswer(call, written);
    void this.#workOn(answer, call, turn);
    return answer.response;
  }

  async #workOn(answer: StraightAnswer, call: StraightCall, turn: Introduced): Promise<void> {
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

  /** Whether it begins nothing for what is wrong with its parameters: the library would tell of that as of a fault of ours. */
  async isMalformed(beginning: object): Promise<boolean> {
    const { isInitializeRequest, isJSONRPCRequest } = await import('@modelcontextprotocol/server');
    return isJSONRPCRequest(beginning) && !isInitializeRequest(beginning);
  }

  async answer(request: Request, message: unknown, turn: Turn): Promise<Response> {
    this.#handler ??= this.#load();
    const handler = await this.#handler;
    // The one thing that the library hands through to whoever answers. Who calls is known already.
    const extra = { turn, isServed: isServed(turn, message), isTask: isTaskMethod(methodOf(message)) };
    const authInfo = { token: '', clientId: '', scopes: [], extra };
    const response = await handler.fetch(request, { parsedBody: message, authInfo });
    const isWhole = response.headers.get('content-type')?.startsWith('application/json');
    if (turn.status === undefined || !isWhole) return response;
    return new Response(response.body, { status: turn.status, headers: response.headers });
  }

  /** Loaded by the first request: most installations serve none, and its schemas take a while to build. */
  async #load(): Promise<McpHttpHandler> {
    const library = await import('@modelcontextprotocol/server');
    return library.createMcpHandler(({ authInfo }) => {
      // As `answer` has put it there; the library knows it as anything.
      const { turn, ...what } = authInfo!.extra as unknown as Asking & { turn: Turn };
      return serverFor(library.Server, turn, this.deps, what);
    });
  }

  async stop(): Promise<void> {
    await (await this.#handler)?.close();
  }
}

/** Several at once are told one by one: each has an answer of its own. */
const isServed = ({ served }: Turn, message: unknown): boolean =>
  Array.isArray(message) || served.serves(methodOf(message));

const methodOf = (message: unknown): string => String((message as { method?: unknown }).method);

/** What is known of a message before the library has looked at it. */
interface Asking {
  isServed: boolean;
  isTask: boolean;
}

/** What is passed on is whoever asked's to read. */
const anything = z.looseObject({});

function serverFor(Maker: typeof Server, turn: Turn, deps: ServeDeps, { isServed, isTask }: Asking): Server {
  const { about, capabilities, instructions } = turn.introduction;
  const { name, version } = about;
  const server = new Maker(
    { name, version },
    { capabilities, jsonSchemaValidator: noValidator, ...(instructions !== undefined && { instructions }) },
  );
  const answer = ({ method, params }: JSONRPCRequest, { mcpReq }: ServerContext) => {
    // Who left hears nothing more, and that is no fault.
    const log: Said['log'] = ({ level, data, logger }) => void mcpReq.log(level, data, logger).catch(() => {});
    const newest = mcpReq.envelope !== undefined;
    const asked = { id: mcpReq.id, method, params: whole(params ?? {}, mcpReq), newest };
    const say = (message: object) =>
      // As the protocol has it; the library would count such requests itself, and wait for what comes to another process.
      void server.transport?.send(message as JSONRPCRequest, { relatedRequestId: mcpReq.id }).catch(() => {});
    return answerOne(new OneExchange(turn, asked, { log, say }, deps, mcpReq), deps.logLevels);
  };
  // Whatever the library does not answer by itself; it looks at neither parameters nor results then, which are passed on. A
  // method that nobody has it refuses with the status that the revision of the request asks for.
  if (isServed) server.fallbackRequestHandler = answer;
  // Names that were the protocol's own once: it hands these on only to whoever asks for them.
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
  /** Of the revision that has no sessions. */
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

/** What no server would have to be asked about. Tools are listed all at once: there is no second page. */
function refuseOdd(method: string, { level, cursor }: Params): void {
  if (method === 'logging/setLevel' && !levels.includes(level as string))
    throw badParams(`level must be one of ${levels.join(', ')}`);
  // Some clients write one down that says nothing.
  if (method === 'tools/list' && cursor) throw badParams('Unknown cursor');
}

/** One message of a client, as whoever answers it sees it. */
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
  /** It may be taken back by a message, and something may be remembered of whoever sent it. */
  readonly inSession: boolean;
  readonly #running: Running | null;
  #signal: AbortSignal | undefined;

  constructor(
    private readonly turn: Introduced,
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
    this.say = this.inSession && abilitiesOf(asker.holder) !== '' ? sayingTo(said) : undefined;
    this.progress = mcpReq && progressOf(mcpReq);
    this.deaf = asked.newest || !served.speaks;
    this.#running = client === null ? null : deps.underWay.begin(client, asked.id);
  }

  /** What whoever is served here has to say to it. */
  answered(): Promise<Params> {
    const { method, params } = this.asked;
    if (isTaskMethod(method) && !this.newest) throw noMethod(method);
    if (isSubscribing(method) && (this.newest || !this.inSession)) throw noMethod(method);
    refuseOdd(method, params);
    const told = this.inSession ? this.deps.logLevels.told(this.holder, params) : params;
    return this.turn.served.answer(method, told, this);
  }

  checked(result: Params): Params {
    if (!this.newest && (wantsToKnow(result) || result.resultType === 'task')) throw cannotBeAsked();
    return result;
  }

  /** In the protocol's words. */
  fault(error: unknown): RpcError {
    const told = toRpcError(error, this.requestId, this.deps.log);
    const status = statusOf(told, this.newest);
    if (status !== 200) this.turn.status = status;
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

/** What is subscribed to is told in a session, which the newest revision has none of. */
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

/** With what the library has taken out of the parameters: all of it is for whoever answers. */
function whole(params: Params, { envelope, _meta, inputResponses, requestState }: ServerContext['mcpReq']): Params {
  if (envelope === undefined) return params;
  const said = Object.entries(envelope).filter(([name]) => saidOfClient.has(name));
  const state = requestState();
  return {
    ...params,
    ...(inputResponses && { inputResponses }),
    ...(state !== undefined && { requestState: state }),
    _meta: { ..._meta, ...Object.fromEntries(said) },
  };
}

function toRpcError(thrown: unknown, requestId: string, log: Log): RpcError {
  if (thrown instanceof RpcError) return thrown;
  const error = toAppError(thrown);
  if (error.status >= 500) log.error({ requestId, code: error.code, error: error.detail ?? thrown }, error.message);
  if (error.status >= 500) return new RpcError(-32_603, error.message);
  return new RpcError(error.status === 400 || error.status === 404 ? -32_602 : -32_000, error.message);
}
