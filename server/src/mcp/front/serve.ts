import type { JSONRPCRequest, McpHttpHandler, Result, Server, ServerContext } from '@modelcontextprotocol/server';
import { toAppError } from '../../platform/http/to-app-error.ts';
import type { Log } from '../../platform/log.ts';
import type { Introduction, Params } from '../connection.ts';
import { noValidator } from '../no-validator.ts';
import { type Asker, type Exchange, RpcError, type Served } from './served.ts';
import type { UnderWay } from './under-way.ts';

/** One request over HTTP: what it is for, and for whom. */
export interface Turn {
  served: Served;
  introduction: Introduction;
  asker: Asker;
  /** Names the client where it may take requests back by a message. */
  client: string | null;
}

interface ServeDeps {
  underWay: UnderWay;
  log: Log;
}

/** Serves messages in every revision of the protocol that the library knows, each request by itself. */
export class Serving {
  #handler: Promise<McpHttpHandler> | undefined;

  constructor(private readonly deps: ServeDeps) {}

  async answer(request: Request, message: unknown, turn: Turn): Promise<Response> {
    this.#handler ??= this.#load();
    const handler = await this.#handler;
    // The one thing that the library hands through to whoever answers. Who calls is known already.
    const authInfo = { token: '', clientId: '', scopes: [], extra: { turn } };
    return handler.fetch(request, { parsedBody: message, authInfo });
  }

  /** Loaded by the first request: most installations serve none, and its schemas take a while to build. */
  async #load(): Promise<McpHttpHandler> {
    const library = await import('@modelcontextprotocol/server');
    return library.createMcpHandler(({ authInfo }) => {
      const turn = authInfo?.extra?.turn as Turn;
      return serverFor(library.Server, turn, this.deps);
    });
  }

  async stop(): Promise<void> {
    await (await this.#handler)?.close();
  }
}

function serverFor(Maker: typeof Server, turn: Turn, deps: ServeDeps): Server {
  const { about, capabilities, instructions } = turn.introduction;
  const { name, version } = about;
  const server = new Maker(
    { name, version },
    { capabilities, jsonSchemaValidator: noValidator, ...(instructions !== undefined && { instructions }) },
  );
  const answer = (request: JSONRPCRequest, context: ServerContext) => answerOne(turn, request, context, deps);
  // Whatever the library does not answer by itself; it looks at neither parameters nor results then, which are passed on.
  server.fallbackRequestHandler = answer;
  if (capabilities.logging)
    server.setRequestHandler('logging/setLevel', (request, context) =>
      answer(request as unknown as JSONRPCRequest, context),
    );
  return server;
}

async function answerOne(
  { served, asker, client }: Turn,
  { method, params = {} }: Pick<JSONRPCRequest, 'method' | 'params'>,
  { mcpReq }: ServerContext,
  { underWay, log }: ServeDeps,
): Promise<Result> {
  const running = client === null ? null : underWay.begin(client, mcpReq.id);
  const token = mcpReq._meta?.progressToken;
  // Who left hears nothing more, and that is no fault.
  const nobody = () => {};
  const exchange: Exchange = {
    ...asker,
    signal: AbortSignal.any([asker.signal, mcpReq.signal, ...(running ? [running.signal] : [])]),
    log: ({ level, data, logger }) => void mcpReq.log(level, data, logger).catch(nobody),
    progress:
      token === undefined
        ? undefined
        : (progress) => {
            const told = { ...progress, progressToken: token };
            void mcpReq.notify({ method: 'notifications/progress', params: told }).catch(nobody);
          },
  };
  try {
    return (await served.answer(method, withLevel(params, mcpReq), exchange)) as Result;
  } catch (error) {
    throw toRpcError(error, asker.requestId, log);
  } finally {
    running?.end();
  }
}

const levelKey = 'io.modelcontextprotocol/logLevel';

/** In the newest protocol each request says how much it wants to hear; the library has taken that out of the parameters. */
function withLevel(params: Params, { envelope, _meta }: ServerContext['mcpReq']): Params {
  const level = (envelope as Params | undefined)?.[levelKey];
  return level === undefined ? params : { ...params, _meta: { ..._meta, [levelKey]: level } };
}

function toRpcError(thrown: unknown, requestId: string, log: Log): RpcError {
  if (thrown instanceof RpcError) return thrown;
  const error = toAppError(thrown);
  if (error.status >= 500) log.error({ requestId, code: error.code, error: error.detail ?? thrown }, error.message);
  if (error.status >= 500) return new RpcError(-32_603, error.message);
  return new RpcError(error.status === 400 || error.status === 404 ? -32_602 : -32_000, error.message);
}
