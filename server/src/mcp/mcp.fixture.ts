import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  createMcpHandler,
  isInitializeRequest,
  Server,
  type ServerCapabilities,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Member, TestApp } from '../app.fixture.ts';

/** A tool of a server that runs in a test. */
export interface ScriptedTool {
  name: string;
  description?: string;
  inputSchema?: Record<string, unknown>;
  /** Title, annotations, schema of results. */
  further?: Record<string, unknown>;
  /** To which clients; to all by default. */
  listedTo?: (capabilities: ClientCapabilities) => boolean;
  /** What it answers; text by default. */
  answer?: (args: Record<string, unknown>, context: ServerContext) => unknown;
}

/** What a server has besides tools. */
export interface More {
  capabilities: ServerCapabilities;
  set(server: Server): void;
}

export interface McpTestServer {
  url: string;
  /** Listed from now on. */
  tools: ScriptedTool[];
  /** Every call that reached a tool. */
  calls: { name: string; args: Record<string, unknown> }[];
  /** Headers of every request. */
  heard: Headers[];
  /** Sessions that are open; those taken out are known no more. */
  sessions: Map<string, WebStandardStreamableHTTPServerTransport>;
  opened: number;
  stop(): void;
}

type Era = 'sessions' | 'modern';

/** A server as others write them: of the protocol with sessions, answering in JSON or events, or of the newest. */
export function startMcp(tools: ScriptedTool[], era: Era = 'sessions', json = true, more?: More): McpTestServer {
  const state = { tools, calls: [], heard: [], sessions: new Map(), opened: 0 } as unknown as McpTestServer;
  const make = () => scripted(state, more);
  const modern = createMcpHandler(make);
  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    fetch: (request) => {
      state.heard.push(request.headers);
      return era === 'modern' ? modern.fetch(request) : inSession(state, request, make, json);
    },
  });
  state.url = `http://127.0.0.1:${listener.port}/mcp`;
  state.stop = () => void listener.stop(true);
  return state;
}

function scripted(state: McpTestServer, more?: More): Server {
  const capabilities = { tools: {}, ...more?.capabilities };
  const server = new Server({ name: 'scripted', version: '7' }, { capabilities, instructions: 'Mind the step.' });
  more?.set(server);
  server.setRequestHandler('tools/list', () => ({
    tools: listedBy(state.tools, server.getClientCapabilities()).map(({ name, description, inputSchema, further }) => ({
      name,
      ...(description !== undefined && { description }),
      inputSchema: { type: 'object' as const, ...inputSchema },
      ...(further as object | undefined),
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const args = (params.arguments ?? {}) as Record<string, unknown>;
    state.calls.push({ name: params.name, args });
    const tool = state.tools.find(({ name }) => name === params.name);
    const answer = (await tool?.answer?.(args, context)) ?? `${params.name} says hello`;
    // Whatever a test wants it to say, the protocol's or not.
    return (typeof answer === 'string' ? { content: [{ type: 'text', text: answer }] } : answer) as never;
  });
  return server;
}

const listedBy = (tools: ScriptedTool[], capabilities: ClientCapabilities = {}): ScriptedTool[] =>
  tools.filter(({ listedTo }) => listedTo?.(capabilities) ?? true);

async function inSession(state: McpTestServer, request: Request, make: () => Server, json: boolean): Promise<Response> {
  const id = request.headers.get('mcp-session-id');
  if (id !== null) return (await state.sessions.get(id)?.handleRequest(request)) ?? refusal(404, 'Session not found');
  const body = request.method === 'POST' ? ((await request.json()) as never) : null;
  if (!isInitializeRequest(body)) return refusal(400, 'Bad Request: no session');
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    enableJsonResponse: json,
    onsessioninitialized: (made) => {
      state.opened += 1;
      state.sessions.set(made, transport);
    },
    onsessionclosed: (closed) => void state.sessions.delete(closed),
  });
  await make().connect(transport);
  return transport.handleRequest(request, { parsedBody: body });
}

const refusal = (status: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }, { status });

type Told = { jsonrpc: '2.0'; id: unknown; result: unknown };
/** A request that `startRaw` was sent, and how its result is written. */
export interface RawAsked {
  method: string;
  id: unknown;
  params: Record<string, unknown>;
  result(value: unknown): Told;
}

/** A server that knows the protocol only as far as `initialize`; the rest is the test's, however broken. */
export function startRaw(
  answer: (asked: RawAsked, request: Request) => Response | Promise<Response>,
  itself: object = {},
): {
  url: string;
  asked: string[];
  stop(): void;
} {
  const asked: string[] = [];
  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    fetch: async (request) => {
      if (request.method !== 'POST') return new Response(null, { status: 405 });
      const { method, id, params = {} } = (await request.json()) as RawAsked;
      asked.push(method);
      if (method === 'server/discover') return refusal(400, 'no session');
      if (id === undefined) return new Response(null, { status: 202 });
      const result = (value: unknown): Told => ({ jsonrpc: '2.0', id, result: value });
      if (method !== 'initialize') return answer({ method, id, params, result }, request);
      const serverInfo = { name: 'raw', version: '1' };
      const said = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo, ...itself };
      return Response.json(result(said));
    },
  });
  return { url: `http://127.0.0.1:${listener.port}/mcp`, asked, stop: () => void listener.stop(true) };
}

export interface ServerRow {
  id: number;
  name: string;
  header_names: string[];
  tools: { name: string; offered_as: string; ask_first: boolean; definition: string }[];
}
export interface TestedRow {
  name: string;
  offered_as: string;
  state: string;
  description: string;
  definition: string;
  problem: string | null;
}
export interface Tested {
  ok: boolean;
  error?: string;
  tools: TestedRow[];
  cut: boolean;
}

/** What an administrator does, with the answers unpacked. */
export function administration(root: Member) {
  const send = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await root.call(`/api/mcp/servers${path}`, { method, body });
    const { data, ...rest } = (await answer.json()) as { data: T };
    if (!answer.ok) throw new Error(`${answer.status} ${JSON.stringify(rest)}`);
    return data;
  };
  const test = (id: number) => send<Tested>('POST', `/${id}/test`);
  const connect = (name: string, url: string, fields: object = {}) =>
    send<ServerRow>('POST', '', { name, url, audience: 'everyone', timeout_ms: 20_000, ...fields });
  /** Allows tools as they stand now: all of them, or those of these names. */
  const allow = async (id: number, names?: string[], askFirst: string[] = []) => {
    const { tools } = await test(id);
    const wanted = tools.filter(({ name, problem }) => problem === null && (names?.includes(name) ?? true));
    return send<ServerRow>('PUT', `/${id}/tools`, {
      tools: wanted.map(({ name, definition }) => ({ name, definition, ask_first: askFirst.includes(name) })),
    });
  };
  return { send, test, connect, allow };
}

/** Calls that wait for a person's word, and the word. */
export function approvalsOf(person: Pick<Member, 'call'>) {
  type Asker = { type: string; id: number | null; name: string | null };
  type Waiting = {
    id: number;
    tool: string;
    arguments: object;
    state: string;
    expires_at: number;
    asked_by: Asker | null;
  };
  const waiting = async () =>
    ((await (await person.call('/api/mcp/approvals')).json()) as { data: { approvals: Waiting[] } }).data.approvals;
  const answer = (id: number, approved = true) =>
    person.call(`/api/mcp/approvals/${id}`, { method: 'POST', body: { approved } });
  return { waiting, answer, approveFirst: async () => answer((await waiting())[0]!.id) };
}

/** A client of others, speaking to the service as it would over a network. */
export async function connectClient(
  { app, config }: Pick<TestApp, 'app' | 'config'>,
  path: string,
  key: string,
  mode: 'legacy' | 'auto' = 'auto',
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const transport = new StreamableHTTPClientTransport(new URL(path, config.baseUrl), {
    fetch: async (url, init) => app.fetch(new Request(url, init)),
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return { client, transport };
}
