/** The server behind the gateway while the protocol's tests run: everything they require, built on the SDK. */
import type { Server } from '@modelcontextprotocol/server';
import { type McpTestServer, startMcp } from '../../server/src/mcp/mcp.fixture.ts';
import { referenceTasks } from './reference-tasks.ts';
import { answered, needs, picture, referenceTools } from './reference-tools.ts';

export type Era = 'sessions' | 'modern';

const text = (uri: string, words: string, mimeType = 'text/plain') => ({ uri, mimeType, text: words });

const resources = [
  { uri: 'test://static-text', name: 'Static text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'Static picture', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'Watched', mimeType: 'text/plain' },
].map((one) => ({ ...one, description: `For ${one.uri}.` }));

function contentsOf(uri: string) {
  if (uri === 'test://static-text') return text(uri, 'This is the content of the static text resource.');
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: picture };
  if (uri === 'test://watched-resource') return text(uri, 'Watched resource content');
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw Object.assign(new Error('Resource not found'), { code: -32_602, data: { uri } });
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return text(uri, data, 'application/json');
}

const said = (content: unknown) => ({ role: 'user', content });
const words = (given: string) => said({ type: 'text', text: given });
type Given = Record<string, string>;

const prompts: Record<string, { names: string[]; messages: (given: Given) => unknown[] }> = {
  test_simple_prompt: { names: [], messages: () => [words('This is a simple prompt for testing.')] },
  test_prompt_with_arguments: {
    names: ['arg1', 'arg2'],
    messages: ({ arg1, arg2 }) => [words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    names: ['resourceUri'],
    messages: ({ resourceUri }) => [
      said({ type: 'resource', resource: text(resourceUri ?? '', 'Embedded resource content for testing.') }),
      words('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: {
    names: [],
    messages: () => [
      said({ type: 'image', data: picture, mimeType: 'image/png' }),
      words('Please analyze the image above.'),
    ],
  },
};
const askingPrompt = 'test_input_required_result_prompt';

function serve(server: Server, era: Era): void {
  server.setRequestHandler('resources/list', () => ({ resources }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: 'test://template/{id}/data',
        name: 'Template',
        description: 'By id.',
        mimeType: 'application/json',
      },
    ],
  }));
  if (era === 'sessions') serveSubscriptions(server);
  server.setRequestHandler('resources/read', ({ params }) => ({ contents: [contentsOf(params.uri)] }));
  const named = [...Object.keys(prompts), ...(era === 'modern' ? [askingPrompt] : [])];
  server.setRequestHandler('prompts/list', () => ({
    prompts: named.map((name) => ({
      name,
      description: `For ${name}.`,
      arguments: (prompts[name]?.names ?? []).map((one) => ({ name: one, description: 'Any text.', required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const schema = { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] };
    const asks = { mode: 'form', message: 'What context should the prompt use?', requestedSchema: schema };
    if (params.name === askingPrompt && !answered(context).user_context)
      return needs({ user_context: { method: 'elicitation/create', params: asks } } as never) as never;
    const prompt = params.name === askingPrompt ? prompts.test_simple_prompt : prompts[params.name];
    if (!prompt) throw Object.assign(new Error('Unknown prompt'), { code: -32_602 });
    return { messages: prompt.messages(params.arguments ?? {}) } as never;
  });
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }));
}

/** Each session has its own server and is notified about its subscriptions. A subscribed resource appears to change at once. */
function serveSubscriptions(server: Server): void {
  const watched = new Set<string>();
  const tell = (uri: string) => {
    // Sessions that have ended are skipped.
    if (watched.has(uri)) void server.sendResourceUpdated({ uri }).catch(() => {});
  };
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    watched.add(uri);
    setTimeout(() => tell(uri), 100);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    watched.delete(uri);
    return {};
  });
}

export function startReference(era: Era): McpTestServer {
  const tasks = era === 'modern' ? referenceTasks() : null;
  const tools = (tasks?.tools ?? []).map((tool) => ({ description: `For ${tool.name}.`, ...tool }));
  const resources = era === 'sessions' ? { subscribe: true } : {};
  return startMcp([...referenceTools(era), ...tools], era, false, {
    capabilities: { resources, prompts: {}, completions: {}, logging: {}, ...tasks?.capabilities },
    set: (server) => {
      serve(server, era);
      tasks?.set(server);
    },
  });
}
