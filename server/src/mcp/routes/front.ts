import type { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { toolScopeOf } from '../../lib/tool-scopes.ts';
import { type Call, defineRoute, jsonText, type Route } from '../../platform/http/route.ts';
import type { Params } from '../connection.ts';
import { allServers } from '../front/all-servers.ts';
import { type McpCaller, opensTool, requireAudience } from '../front/caller.ts';
import type { FrontContext } from '../front/context.ts';
import { type DirectCall, directCall, type ResponseWriter } from '../front/direct-answer.ts';
import type { EndedSessions } from '../front/ended-sessions.ts';
import { badParams, type ClientSupport, type Endpoint, type Requester, RpcError } from '../front/endpoint.ts';
import { forwardAnswer, isAnswer } from '../front/forward-answer.ts';
import type { InitializedRequest, MessageHandler } from '../front/message-handler.ts';
import type { NotificationStreams } from '../front/notification-streams.ts';
import { oneServer } from '../front/one-server.ts';
import { ownName, ownServer } from '../front/own-server.ts';
import type { RunningCalls } from '../front/running-calls.ts';
import { understandsTasks } from '../front/tasks.ts';
import type { InitializeInfo } from '../initialize-info.ts';
import { endSessionsOf } from '../kept-sessions.ts';
import type { McpServer } from '../store/servers.ts';
import { usableServer } from '../usable-tools.ts';
import { AskingCall, finished } from './front-call.ts';
import { cancelRequests, type Message, refuseMixed, refuseSeveral } from './front-messages.ts';
import { holderOf, requiredSession, sessionFor, sessionIn, sessionOfPost, speaksNewest } from './front-session.ts';
import {
  allowed,
  answers,
  isMessage,
  isServerName,
  longestName,
  mostBytes,
  posted,
  serverParams,
  shared,
} from './front-shapes.ts';

export interface FrontRouteDeps {
  room: FrontContext;
  serving: MessageHandler;
  underWay: RunningCalls;
  listening: NotificationStreams;
  ended: EndedSessions;
  originAllowed(origin: string): boolean | Promise<boolean>;
}

type FrontCall = Call<'mcp', z.infer<typeof posted>>;
type Find = (call: Call<'mcp'>) => Endpoint | Promise<Endpoint>;

/** The MCP endpoints: one per server, one for all servers that the caller may use, and our own. */
export function frontRoutes(deps: FrontRouteDeps): Route[] {
  const { room } = deps;
  const named = ({ principal, params: given }: Call<'mcp'>): McpServer | Promise<McpServer> => {
    const { server: name } = given as z.infer<typeof serverParams>;
    requireAudience(principal, name, room.baseUrl);
    const found = usableServer(room, principal.user, name);
    return found instanceof Promise ? foundLater(found, name) : there(found, name);
  };
  // One per cached server; a changed server is a new object.
  const served = new WeakMap<McpServer, Endpoint>();
  const servedAs = (server: McpServer): Endpoint => {
    const known = served.get(server);
    if (known) return known;
    const made = oneServer(room, server);
    served.set(server, made);
    return made;
  };
  const one = (call: Call<'mcp'>): Endpoint | Promise<Endpoint> => {
    const server = named(call);
    return server instanceof Promise ? server.then(servedAs) : servedAs(server);
  };
  const [together, ours] = [allServers(room), ownServer(room)];
  const all = ({ principal }: Call<'mcp'>): Endpoint => {
    requireAudience(principal, null, room.baseUrl);
    return together;
  };
  const own = ({ principal }: Call<'mcp'>): Endpoint => {
    requireAudience(principal, ownName, room.baseUrl);
    return ours;
  };
  return [
    ...routesAt(
      deps,
      {
        path: '/mcp',
        use: 'Use all tools available to the caller, named `server__tool`, over MCP (Streamable HTTP)',
        end: "End the client's MCP sessions for all tools available to the caller, named `server__tool`",
      },
      all,
    ),
    ...routesAt(
      deps,
      {
        path: '/mcp/svc',
        use: 'Use the built-in tools of this service over MCP (Streamable HTTP)',
        end: "End the client's MCP sessions for the built-in tools of this service",
      },
      own,
    ),
    ...routesAt(
      deps,
      {
        path: '/mcp/{server}',
        use: 'Use a connected server over MCP (Streamable HTTP)',
        end: "End the client's MCP sessions with a connected server",
        params: serverParams,
      },
      one,
    ),
    defineRoute({
      ...shared,
      method: 'get',
      path: '/mcp/{server}',
      summary: "Stream messages that a connected server sends on its own in the client's session",
      params: serverParams,
      answers: { 200: { type: 'text/event-stream', description: 'Messages as they arrive' } },
      handle: async (call) => {
        await refuseOrigin(deps, call);
        if (call.params.server === ownName)
          throw new AppError('method_not_allowed', 'This endpoint does not send messages on its own.', {
            headers: allowed,
          });
        const server = await named(call);
        const holder = holderOf(call, requiredSession(call), deps.ended);
        return deps.listening.begin(call, { caller: call.principal, server, holder });
      },
    }),
  ];
}

function there(server: McpServer | null, name: string): McpServer {
  if (!server) throw new AppError('not_found', `There is no MCP server ${name}.`);
  return server;
}

const foundLater = async (server: Promise<McpServer | null>, name: string): Promise<McpServer> =>
  there(await server, name);

function routesAt(
  deps: FrontRouteDeps,
  { path, use, end, params }: { path: string; use: string; end: string; params?: z.ZodObject },
  find: Find,
): Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'post',
      path,
      summary: use,
      ...(params && { params, fitsParams: isServerName }),
      body: posted,
      maxBytes: mostBytes,
      answers,
      fits: isMessage,
      handle: (call) => {
        if (call.request.headers.has('origin')) return answerPage(deps, call, find);
        const served = find(call);
        return served instanceof Promise ? answerLater(deps, call, served) : answer(deps, call, served);
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path,
      summary: end,
      ...(params && { params }),
      answers: { 204: { description: 'No content' } },
      handle: async (call) => {
        await refuseOrigin(deps, call);
        await find(call);
        const holder = holderOf(call, requiredSession(call), deps.ended);
        await deps.ended.end(holder);
        deps.room.callers.leave(holder);
        await endSessionsOf(deps.room, holder);
        return new Response(null, { status: 204, headers: call.headers });
      },
    }),
  ];
}

/** Revision 2025-11-25, transports: rejects foreign pages, which could reach us by DNS rebinding. */
async function refuseOrigin({ originAllowed }: FrontRouteDeps, { request }: Call): Promise<void> {
  const origin = request.headers.get('origin');
  if (origin === null || (await originAllowed(origin))) return;
  throw new AppError('forbidden', 'Pages of this origin are not allowed to call this endpoint.');
}

async function answerPage(deps: FrontRouteDeps, call: FrontCall, find: Find): Promise<Response> {
  await refuseOrigin(deps, call);
  return answer(deps, call, await find(call));
}

const answerLater = async (deps: FrontRouteDeps, call: FrontCall, served: Promise<Endpoint>): Promise<Response> =>
  answer(deps, call, await served);

function answer(deps: FrontRouteDeps, call: FrontCall, served: Endpoint): Promise<Response> {
  const { body } = call;
  if (Array.isArray(body)) refuseSeveral(call.request);
  if (Array.isArray(body)) return answerMessages(deps, call, served, body);
  const straight = directCall(call.request, body);
  if (straight) {
    const session = straight.newest ? null : sessionIn(call);
    const holder = holderOf(call, session, deps.ended, straight.params);
    if (straight.newest ? served.onlyAnswers(straight.params.name, holder, call.principal) : session !== null) {
      const asker = new AskingCall(call, holder);
      const turn = { served, asker, client: clientOf(served, session, holder) };
      if (call.principal.tools !== null) return answerInScope(deps, straight, turn, asker);
      return deps.serving.answerDirectly(straight, turn, asker);
    }
  }
  return answerMessages(deps, call, served, [body]);
}

async function answerInScope(
  { serving }: FrontRouteDeps,
  straight: DirectCall,
  turn: InitializedRequest,
  written: ResponseWriter,
): Promise<Response> {
  await requireToolScope(turn.served, [straight], turn.asker.caller);
  return serving.answerDirectly(straight, turn, written);
}

/** One client at one endpoint: request ids are unique only within it. */
const clientOf = ({ name }: Endpoint, session: string | null, holder: string): string | null =>
  session === null ? null : `${holder} ${name}`;

async function answerMessages(
  deps: FrontRouteDeps,
  call: FrontCall,
  served: Endpoint,
  messages: Message[],
): Promise<Response> {
  refuseMixed(messages);
  await requireToolScope(served, messages, call.principal);
  const begins = messages.find(({ method }) => method === 'initialize');
  // The newest revision has no `initialize`, whatever its params.
  if (begins && !speaksNewest(call) && (await deps.serving.isMalformed(begins)))
    return refuse(call, begins.id, malformed, 200);
  const session = begins ? sessionFor(begins.params) : sessionOfPost(call);
  const holder = holderOf(call, session, deps.ended, messages[0]?.params);
  const listening = messages.find(({ method }) => method === 'subscriptions/listen');
  if (listening) return refuse(call, listening.id, nothingToHear, 404);
  const client = clientOf(served, session, holder);
  if (client !== null) await cancelRequests(deps.underWay, client, messages);
  const asker = new AskingCall(call, holder);
  const answered = messages.filter((one) => isAnswer({ ...one }));
  for (const one of answered) await forwardAnswer(deps.room, served, one, asker);
  if (answered.length === messages.length) return taken(call);
  const discovers = messages.find(({ method }) => method === 'server/discover');
  const tasks = discovers !== undefined && understandsTasks((discovers.params ?? {}) as Params);
  const told = { tasks, listens: begins !== undefined };
  const introduction = begins || discovers ? await introduced(served, asker, told) : anybody;
  const response = await deps.serving.answer(call.request, call.body, { served, introduction, asker, client });
  return finished(call, response, begins ? session : null);
}

/** Revision 2025-11-25, transports: responses from clients are only acknowledged. */
const taken = (call: Call): Response => new Response(null, { status: 202, headers: call.headers });

/** Revision 2025-11-25, authorization: names the missing scope, so that the client can ask the user for it. */
async function requireToolScope(served: Endpoint, messages: Message[], caller: McpCaller): Promise<void> {
  const called = messages.find(({ method }) => method === 'tools/call');
  const { name } = (called?.params ?? {}) as { name?: unknown };
  if (caller.tools === null || typeof name !== 'string' || name.length > longestName) return;
  const named = await served.toolNamed(name, caller);
  if (!named || opensTool(caller, named.server, named.tool)) return;
  const scope = toolScopeOf(named.server, named.tool);
  const message = `This call requires the scope ${scope}.`;
  throw new AppError('insufficient_scope', message, {
    headers: {
      'www-authenticate': `Bearer realm="svc", error="insufficient_scope", error_description="${message}", scope="${scope}"`,
    },
  });
}

/** Placeholder for requests other than the first: announces everything, so that anything may be forwarded. */
const anybody: InitializeInfo = {
  about: { name: 'svc', version: '1', protocol: '' },
  capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
};

async function introduced(served: Endpoint, asker: Requester, told: ClientSupport): Promise<InitializeInfo> {
  try {
    return await served.introduction(asker, told);
  } catch (error) {
    if (error instanceof RpcError) throw new AppError('provider_error', error.message);
    throw error;
  }
}

const malformed = badParams(
  'initialize requires protocolVersion, capabilities and clientInfo as defined by the protocol',
);
/** Answers `subscriptions/listen` of the newest revision: its servers are asked anew each time. */
const nothingToHear = new RpcError(-32_601, 'Method not found: there is nothing to listen to');

function refuse(call: Call, id: unknown, { code, message }: RpcError, status: number): Response {
  return jsonText(call, JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } }), status);
}
