/** The tools that the scenarios require of a server, with the expected names and answers. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { ScriptedTool } from '../../server/src/mcp/mcp.fixture.ts';
import { askingBack } from './reference-questions.ts';

/** One red pixel. */
export const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** Audio of zero length. */
const sound = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

export const says = (text: string) => ({ content: [{ type: 'text', text }] });
const image = { type: 'image', data: picture, mimeType: 'image/png' };
const resource = (uri: string, mimeType: string, text: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text },
});

const pause = () => Bun.sleep(50);

const plain: ScriptedTool[] = [
  { name: 'test_simple_text', answer: () => 'This is a simple text response for testing.' },
  { name: 'test_image_content', answer: () => ({ content: [image] }) },
  {
    name: 'test_audio_content',
    answer: () => ({ content: [{ type: 'audio', data: sound, mimeType: 'audio/wav' }] }),
  },
  {
    name: 'test_embedded_resource',
    answer: () => ({
      content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
    }),
  },
  {
    name: 'test_multiple_content_types',
    answer: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ],
    }),
  },
  {
    name: 'test_tool_with_logging',
    answer: async (_, { mcpReq }) => {
      for (const step of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.log('info', step);
        await pause();
      }
      return 'Tool with logging executed successfully';
    },
  },
  {
    name: 'test_tool_with_progress',
    answer: async (_, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        const params = { progressToken: progressToken ?? 0, progress, total: 100 };
        if (progressToken !== undefined) await mcpReq.notify({ method: 'notifications/progress', params });
        await pause();
      }
      return String(progressToken ?? 'no token');
    },
  },
  {
    name: 'test_error_handling',
    answer: () => ({ ...says('This tool intentionally returns an error for testing'), isError: true }),
  },
];

export const form = (message: string, name: string, type = 'string') => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type } }, required: [name] },
  },
});
const sample = (text: string, maxTokens: number) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens },
});
const roots = { method: 'roots/list', params: {} };

type Asked = ReturnType<typeof form> | ReturnType<typeof sample> | typeof roots;
/** The input that a server needs before it can answer. */
export const needs = (inputRequests: Record<string, Asked>, requestState?: string) => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState !== undefined && { requestState }),
});

type Answered = { content?: Record<string, unknown>; [name: string]: unknown };
export const answered = ({ mcpReq }: ServerContext): Record<string, Answered> =>
  (mcpReq.inputResponses ?? {}) as Record<string, Answered>;
const stateOf = ({ mcpReq }: ServerContext): string | undefined => mcpReq.requestState<string>();

const secret = crypto.randomUUID();
const signatureOf = (text: string): string => createHmac('sha256', secret).update(text).digest('hex');
const signed = (text: string): string => `${text}.${signatureOf(text)}`;

/** Null for unknown tools. */
function unsigned(state: string | undefined): string | null {
  const [text = '', signature = ''] = (state ?? '').split('.');
  const wanted = Buffer.from(signatureOf(text));
  const given = Buffer.from(signature);
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? text : null;
}

const badState = () => Object.assign(new Error('requestState is not what was given out'), { code: -32_602 });
const name = form('What is your name?', 'name');

/** Tools of the newest revision that ask the client for input before they answer. */
const asking: ScriptedTool[] = [
  {
    name: 'test_input_required_result_elicitation',
    answer: (_, context) => {
      const given = answered(context).user_name?.content?.name;
      return typeof given === 'string' ? `Hello, ${given}!` : needs({ user_name: name });
    },
  },
  {
    name: 'test_input_required_result_sampling',
    answer: (_, context) => {
      const given = answered(context).capital_question;
      return given
        ? JSON.stringify(given.content)
        : needs({ capital_question: sample('What is the capital of France?', 100) });
    },
  },
  {
    name: 'test_input_required_result_list_roots',
    answer: (_, context) => {
      const given = answered(context).client_roots;
      return given ? JSON.stringify(given.roots) : needs({ client_roots: roots });
    },
  },
  ...['test_input_required_result_request_state', 'test_input_required_result_tampered_state'].map(
    (tool): ScriptedTool => ({
      name: tool,
      answer: (_, context) => {
        const state = stateOf(context);
        if (state === undefined) return needs({ confirm: form('Please confirm', 'ok', 'boolean') }, signed('waiting'));
        if (unsigned(state) === null) throw badState();
        return 'state-ok';
      },
    }),
  ),
  {
    name: 'test_input_required_result_multiple_inputs',
    answer: (_, context) => {
      const asks = { user_name: name, greeting: sample('Generate a greeting', 50), client_roots: roots };
      const given = answered(context);
      return Object.keys(asks).every((key) => given[key]) ? 'all of it' : needs(asks, signed('all'));
    },
  },
  {
    name: 'test_input_required_result_multi_round',
    answer: (_, context) => {
      const given = answered(context);
      const state = unsigned(stateOf(context));
      if (given.step2 && state === 'second') return 'done';
      if (given.step1 && state === 'first')
        return needs({ step2: form('Step 2: What is your favorite color?', 'color') }, signed('second'));
      return needs({ step1: form('Step 1: What is your name?', 'name') }, signed('first'));
    },
  },
  {
    name: 'test_input_required_result_capabilities',
    answer: (_, { mcpReq }) => {
      const said = mcpReq.envelope as Record<string, Record<string, unknown>> | undefined;
      const can = said?.['io.modelcontextprotocol/clientCapabilities'] ?? {};
      return needs({
        ...(can.elicitation !== undefined && { user_name: name }),
        ...(can.sampling !== undefined && { greeting: sample('Generate a greeting', 50) }),
      });
    },
  },
];

/** Tools of the newest revision: notifications while they run, and errors. */
const strict: ScriptedTool[] = [
  { name: 'test_missing_capability', answer: () => needs({ greeting: sample('Generate a greeting', 50) }) },
  { name: 'test_streaming_elicitation', answer: () => needs({ user_name: name }) },
  {
    name: 'test_logging_tool',
    answer: async (_, { mcpReq }) => {
      await mcpReq.log('info', 'for those who want to hear it');
      return 'logged';
    },
  },
  {
    name: 'test_custom_header',
    inputSchema: { properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
    answer: ({ region }) => `in ${region}`,
  },
];

/** With parts of JSON Schema that are easily lost in transit. */
const schemed: ScriptedTool = {
  name: 'json_schema_2020_12_tool',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};

/** A tool that is never allowed. */
export const refusedTool = 'test_not_allowed';

export const referenceTools = (era: 'sessions' | 'modern'): ScriptedTool[] =>
  [...plain, schemed, { name: refusedTool }, ...(era === 'modern' ? [...asking, ...strict] : askingBack)].map(
    (tool) => ({
      description: `For ${tool.name}.`,
      ...tool,
    }),
  );
