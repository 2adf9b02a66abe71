import type { ServerContext } from '@modelcontextprotocol/server';
import type { TestApp } from '../../app.fixture.ts';
import { SseParser } from '../../lib/sse.ts';
import { until } from '../../lib/until.fixture.ts';
import type { ScriptedTool } from '../mcp.fixture.ts';

/** As JSON-RPC has it, whichever kind it is. */
export interface Message {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

/** What comes, as it comes. */
export interface Heard {
  status: number;
  messages: Message[];
  /** The first message that is so, now or later. */
  find(what: string, is: (message: Message) => boolean): Promise<Message>;
  /** Nothing more comes. */
  ended: Promise<void>;
}

/** A client of the protocol with sessions that does what a test says, and nothing by itself. */
export interface RawClient {
  session: string;
  post(message: unknown, at?: TestApp, signal?: AbortSignal): Promise<Heard>;
  call(tool: string, args?: object, more?: { at?: TestApp; signal?: AbortSignal; _meta?: object }): Promise<Heard>;
  answer(id: unknown, given: object, at?: TestApp): Promise<{ status: number; body: string }>;
  listen(at?: TestApp, signal?: AbortSignal): Promise<Heard>;
}

export const everything = { elicitation: {}, sampling: {}, roots: {} };

export async function rawClient(
  t: TestApp,
  path: string,
  key: string,
  capabilities: object = everything,
): Promise<RawClient> {
  const own: Record<string, string> = {
    authorization: `Bearer ${key}`,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  };
  const send = (body: unknown, at: TestApp, signal?: AbortSignal) =>
    at.call(path, { method: 'POST', body, headers: own, ...(signal && { signal }) });
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'raw', version: '1' } };
  const begun = await send({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, t);
  await begun.text();
  const session = begun.headers.get('mcp-session-id')!;
  own['mcp-session-id'] = session;
  let count = 0;
  const post: RawClient['post'] = async (message, at = t, signal) => heardOf(await send(message, at, signal));
  return {
    session,
    post,
    call: (name, args = {}, { at = t, signal, _meta } = {}) => {
      count += 1;
      const asked = { name, arguments: args, ...(_meta && { _meta }) };
      return post({ jsonrpc: '2.0', id: count, method: 'tools/call', params: asked }, at, signal);
    },
    answer: async (id, given, at = t) => {
      const answer = await send({ jsonrpc: '2.0', id, ...given }, at);
      return { status: answer.status, body: await answer.text() };
    },
    listen: async (at = t, signal) => heardOf(await at.call(path, { headers: own, ...(signal && { signal }) })),
  };
}

function heardOf(response: Response): Heard {
  const messages: Message[] = [];
  const parser = new SseParser();
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const read = async () => {
    if (!isEvents) {
      const text = await response.text();
      if (text !== '') messages.push(JSON.parse(text));
      return;
    }
    for await (const piece of response.body!)
      for (const { data } of parser.push(piece)) if (data !== '') messages.push(JSON.parse(data));
  };
  // Whoever leaves hears nothing more, which tests do on purpose.
  const ended = read().catch(() => {});
  return {
    ...{ status: response.status, messages, ended },
    find: async (what, is) => {
      await until(what, () => messages.some(is));
      return messages.find(is)!;
    },
  };
}

export const isQuestion = ({ id, method }: Message): boolean => id !== undefined && method !== undefined;
export const isResult = ({ result, error }: Message): boolean => result !== undefined || error !== undefined;

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const anything = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } };

/** Asks the client, whatever that may be: the library's types know only what it knows. */
export const ask = (
  { mcpReq }: ServerContext,
  method: string,
  params: object = {},
  options?: { timeout: number },
): Promise<unknown> => mcpReq.send({ method, params } as never, anything as never, options);

/** Asks the client for a name, and greets. */
export const greeter: ScriptedTool = {
  name: 'greet',
  answer: async ({ message = 'Who are you?' }, context) => {
    const params = { mode: 'form', message, requestedSchema: form };
    const given = await ask(context, 'elicitation/create', params);
    const { action, content } = given as { action: string; content?: { name?: string } };
    return action === 'accept' ? `Hello, ${content?.name}!` : `no name: ${action}`;
  },
};

export const named = (name: string) => ({ result: { action: 'accept', content: { name } } });
export const said = (text: string) => ({ result: { content: [{ type: 'text', text }] } });
