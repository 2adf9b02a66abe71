import type { JSONRPCRequest, McpHttpHandler, Result, Server, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { toAppError } from '../../platform/http/to-app-error.ts';
import type { Log } from '../../platform/log.ts';
import { abilitiesOf } from '../abilities.ts';
import type { Params } from '../connection.ts';
import type { Introduction } from '../introduction.ts';
import { noValidator } from '../no-validator.ts';
import { saidOfClient } from '../params-behind.ts';
import { type LogLevels, levels } from './log-levels.ts';
import { cannotBeAsked, wantsToKnow } from './rounds.ts';
import { type Asker, badParams, type Exchange, HeaderMismatch, noMethod, RpcError, type Served } from './served.ts';
import { answerStraight, type StraightCall, type Written } from './straight.ts';
import { isTaskMethod } from './tasks.ts';
import type { UnderWay } from './under-way.ts';

/** One request over HTTP: what it is for, and for whom. */
export interface Turn {
  served: Served;
  introduction: Introduction;
  asker: Asker;
  /** Names the client where it may take requests back by a message. */
  client: string | null;
  /** Noted on the way: the library gives whatever is thrown by those who answer the status of an answer. */
  mismatch?: HeaderMismatch;
}

interface ServeDeps {
  underWay: UnderWay;
  logLevels: LogLevels;
  log: Log;
}

/** Serves messages in every revision of the protocol that the library knows, each request by itself. */
export class Serving {
  #handler: Promise<McpHttpHandler> | undefined;

  constructor(private readonly deps: ServeDeps) {}

  /** Past the library, which would build a server for each. */
  answerStraight(call: StraightCall, turn: Omit<Turn, 'introduction'>, written: Written): Promise<Response> {
    return answerStraight(call, written, (log, say) => answerOne(turn, call, { log, say }, this.deps));
  }

  async answer(request: Request, message: unknown, turn: Turn): Promise<Response> {
    this.#handler ??= this.#load();
    const handler = await this.#handler;
    // The one thing that the library hands through to whoever answers. Who calls is known already.
    const extra = { turn, isServed: isServed(turn, message), isTask: isTaskMethod(methodOf(message)) };
    const authInfo = { token: '', clientId: '', scopes: [], extra };
    const response = await handler.fetch(request, { parsedBody: message, authInfo });
    if (!turn.mismatch) return response;
    return new Response(response.body, { status: turn.mismatch.status, headers: response.headers });
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
    const log: Exchange['log'] = ({ level, data, logger }) => void mcpReq.log(level, data, logger).catch(() => {});
    const newest = mcpReq.envelope !== undefined;
    const asked = { id: mcpReq.id, method, params: whole(params ?? {}, mcpReq), newest };
    const say = (message: object) =>
      // As the protocol has it; the library would count such requests itself, and wait for what comes to another process.
      void server.transport?.send(message as JSONRPCRequest, { relatedRequestId: mcpReq.id }).catch(() => {});
    return answerOne(turn, asked, { log, say }, deps, mcpReq);
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

async function answerOne(
  turn: Omit<Turn, 'introduction'>,
  { id, method, params, newest: isNewest }: Asked,
  said: Pick<Exchange, 'log' | 'say'>,
  { underWay, logLevels, log }: ServeDeps,
  mcpReq?: ServerContext['mcpReq'],
): Promise<Result> {
  const { served, asker, client } = turn;
  const running = client === null ? null : underWay.begin(client, id);
  const say = client !== null && abilitiesOf(asker.holder) !== '' ? said.say : undefined;
  const deaf = isNewest || !served.speaks;
  const { holder } = asker;
  const says = {
    log: client === null ? said.log : logLevels.heard(holder, said.log),
    say,
    progress: progressOf(mcpReq),
    newest: isNewest,
    deaf,
  };
  const exchange = exchangeOf(asker, () => [mcpReq?.signal, running?.signal], says);
  try {
    if (isTaskMethod(method) && !isNewest) throw noMethod(method);
    if (isSubscribing(method) && (isNewest || client === null)) throw noMethod(method);
    refuseOdd(method, params);
    const result = await served.answer(method, client === null ? params : logLevels.told(holder, params), exchange);
    if (method === 'logging/setLevel' && client !== null) await logLevels.set(holder, params.level as string);
    if (!isNewest && (wantsToKnow(result) || result.resultType === 'task')) throw cannotBeAsked();
    return result as Result;
  } catch (error) {
    if (error instanceof HeaderMismatch) turn.mismatch = error;
    throw toRpcError(error, asker.requestId, log);
  } finally {
    running?.end();
  }
}

/** What no server would have to be asked about. Tools are listed all at once: there is no second page. */
function refuseOdd(method: string, { level, cursor }: Params): void {
  if (method === 'logging/setLevel' && !levels.includes(level as string))
    throw badParams(`level must be one of ${levels.join(', ')}`);
  // Some clients write one down that says nothing.
  if (method === 'tools/list' && cursor) throw badParams('Unknown cursor');
}

function exchangeOf(
  asker: Asker,
  others: () => (AbortSignal | undefined)[],
  { log, say, progress, newest, deaf }: Pick<Exchange, 'log' | 'say' | 'progress' | 'newest' | 'deaf'>,
): Exchange {
  let signal: AbortSignal | undefined;
  const { caller, holder, origin, requestId, headers } = asker;
  return {
    ...{ caller, holder, origin, requestId, headers, log, say, progress, newest, deaf },
    get signal() {
      signal ??= AbortSignal.any([asker.signal, ...others()].filter((one) => one !== undefined));
      return signal;
    },
  };
}

/** What is subscribed to is told in a session, which the newest revision has none of. */
const isSubscribing = (method: string): boolean =>
  method === 'resources/subscribe' || method === 'resources/unsubscribe';

function progressOf(mcpReq?: ServerContext['mcpReq']): Exchange['progress'] {
  const progressToken = mcpReq?._meta?.progressToken;
  if (!mcpReq || progressToken === undefined) return undefined;
  return (progress) => {
    const params = { ...progress, progressToken };
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** With what the library has taken out of the parameters: all of it is for whoever answers. */
function whole(params: Params, { envelope, _meta, inputResponses, requestState }: ServerContext['mcpReq']): Params {
  if (envelope === undefined) return params;
  const said = Object.entries(envelope).filter(([name]) => saidOfClient.includes(name));
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
