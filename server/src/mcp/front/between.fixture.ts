import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Member, TestApp } from '../../app.fixture.ts';
import type { ScriptedTool } from '../mcp.fixture.ts';
import { ask } from './speaks.fixture.ts';

/** What a person says when asked. */
type Says = (message: string) => object | Promise<object>;

/** A client as others write them, which answers when it is asked; its requests come to the processes in turn. */
export async function askableClient(
  processes: readonly TestApp[],
  { path, key, mode }: { path: string; key: string; mode: 'legacy' | 'auto' },
  says: Says,
  capabilities: ClientCapabilities = { elicitation: { form: {} } },
): Promise<Client> {
  let count = 0;
  const transport = new StreamableHTTPClientTransport(new URL(path, processes[0]!.config.baseUrl), {
    fetch: async (url, init) => {
      count += 1;
      return processes[count % processes.length]!.app.fetch(new Request(url, init));
    },
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode }, capabilities });
  if (capabilities.elicitation)
    // What a test answers with need not be what the protocol has.
    client.setRequestHandler('elicitation/create', async ({ params }) => (await says(params.message)) as never);
  if (capabilities.roots) client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///home' }] }));
  await client.connect(transport);
  return client;
}

export const accepted = (name: string) => ({ action: 'accept', content: { name } });

const form = { type: 'object', properties: { name: { type: 'string' } } };
const wanted = (message: string) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: form },
});

/** Of the newest revision: asks for two things at once, then for a third, and says what it was told. */
export const curious: ScriptedTool = {
  name: 'curious',
  answer: (_, { mcpReq }) => {
    const { first, last, title } = (mcpReq.inputResponses ?? {}) as Record<string, { content?: { name?: string } }>;
    if (title) return `${title.content?.name} ${mcpReq.requestState()}`;
    const names = first && last && `${first.content?.name} ${last.content?.name}`;
    if (names)
      return {
        resultType: 'input_required',
        inputRequests: { title: wanted('Title?') },
        requestState: `${names} (${mcpReq.requestState()})`,
      };
    return {
      resultType: 'input_required',
      inputRequests: { first: wanted('First?'), last: wanted('Last?') },
      requestState: 'begun',
    };
  },
};

/** Of the newest revision: never has enough. */
export const endless: ScriptedTool = {
  name: 'endless',
  answer: () => ({ resultType: 'input_required', inputRequests: { more: wanted('More?') } }),
};

/** Of before: asks for two things at once, then for a third, and says what it was told. */
export const twoNames: ScriptedTool = {
  name: 'names',
  answer: async (_, context) => {
    const name = async (message: string) => {
      const { params } = wanted(message);
      return ((await ask(context, 'elicitation/create', params)) as { content: { name: string } }).content.name;
    };
    const [first, last] = await Promise.all([name('First?'), name('Last?')]);
    return `${await name('Title?')} ${first} ${last}`;
  },
};

/** What a call of the newest revision was answered with, and what the client comes back with. */
interface Answered {
  answer: object;
  inputRequests: Record<string, { method: string; params: object }>;
  requestState: string;
}
type Back = Pick<Answered, 'requestState'> & { inputResponses: object };

/** A client of the newest revision that does what a test says, and nothing by itself. */
export function newestPost(t: TestApp, path: string, key: string, capabilities: object = { elicitation: {} }) {
  const ask = async (
    method: string,
    asked: { name?: string; uri?: string; arguments?: object },
    back?: Back,
    signal?: AbortSignal,
  ): Promise<Answered> => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    const { requestState, inputResponses } = back ?? {};
    const params = { ...asked, _meta, ...(back && { requestState, inputResponses }) };
    const response = await t.call(path, {
      method: 'POST',
      body: { jsonrpc: '2.0', id: 1, method, params },
      headers: {
        ...{ authorization: `Bearer ${key}`, accept: 'application/json, text/event-stream' },
        ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
        'mcp-name': asked.name ?? asked.uri ?? '',
      },
      ...(signal && { signal }),
    });
    const answer = lastIn(await response.text()) as { result?: Partial<Answered> };
    const { inputRequests = {}, requestState: state = '' } = answer.result ?? {};
    return { answer, inputRequests, requestState: state };
  };
  const call = (name: string, args: object = {}, back?: Back, signal?: AbortSignal): Promise<Answered> =>
    ask('tools/call', { name, arguments: args }, back, signal);
  return { call, ask };
}

/** The answer, as JSON or as the last of the events. */
const lastIn = (body: string): object =>
  JSON.parse(
    body.startsWith('{')
      ? body
      : body
          .trim()
          .split('\n')
          .findLast((line) => line.startsWith('data: '))!
          .slice(6),
  );

/** How often a tool stands in a user's usage. */
export async function rowsOf(user: Member, tool: string): Promise<number> {
  const answer = await user.call('/api/usage/logs?page_size=100');
  return (await answer.text()).split(`mcp/${tool}`).length - 1;
}
