import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestApp } from '../../app.fixture.ts';
import type { ScriptedTool } from '../mcp.fixture.ts';

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
