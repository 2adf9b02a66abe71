import { z } from 'zod';

/** A request to one of our own endpoints. */
export interface OwnRequest {
  method: 'get' | 'post';
  /** The path as declared by its route. */
  route: string;
  params?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  body?: Record<string, unknown>;
}

/** A built-in tool: an endpoint described in MCP's terms. */
export interface ToolRow {
  name: string;
  title: string;
  description: string;
  input: z.ZodType<Record<string, unknown>>;
  /** Has no side effects and costs nothing. */
  readOnly: boolean;
  request(args: Record<string, unknown>): OwnRequest;
  /** The part of the answer to return; all of it if absent. */
  told?(answer: unknown): string;
}

/** Arguments are validated by the schema before the request is made. */
function tool<I extends ToolRow['input']>(
  row: Omit<ToolRow, 'input' | 'request'> & { input: I; request(args: z.infer<I>): OwnRequest },
): ToolRow {
  // The table mixes rows of different inputs; each row is only called with what its own schema returned.
  return row as unknown as ToolRow;
}

const runs = '/api/svc-ms/autonomous';
const knowledge = '/api/svc-ms/knowledge';
const maxCost = z.number().positive().max(1_000_000).optional();
const sessionId = z.string().min(1).max(128).describe('The session_id returned by start_run');

const models: ToolRow[] = [
  tool({
    name: 'list_models',
    title: 'List models',
    description: 'Lists the models that can be called.',
    input: z.strictObject({}),
    readOnly: true,
    request: () => ({ method: 'get', route: '/v1/models' }),
  }),
  tool({
    name: 'ask_model',
    title: 'Ask a model',
    description: 'Asks a model one question and returns its answer. Charged at the model’s price.',
    input: z.strictObject({
      model: z.string().min(1).max(256).describe('A model id as returned by list_models'),
      message: z.string().min(1).max(400_000),
      system: z.string().max(100_000).optional().describe('How the model should answer'),
      max_tokens: z.int().min(1).max(1_000_000).optional(),
    }),
    readOnly: false,
    request: ({ model, message, system, max_tokens }) => ({
      method: 'post',
      route: '/v1/chat/completions',
      body: {
        model,
        messages: [
          ...(system === undefined ? [] : [{ role: 'system', content: system }]),
          { role: 'user', content: message },
        ],
        ...(max_tokens !== undefined && { max_tokens }),
      },
    }),
    told: (answer) => {
      const { choices } = answer as { choices?: { message?: { content?: unknown } }[] };
      const content = choices?.[0]?.message?.content;
      return typeof content === 'string' ? content : JSON.stringify(answer);
    },
  }),
];

const memory: ToolRow[] = [
  tool({
    name: 'search_knowledge',
    title: 'Search knowledge',
    description: 'Searches what is stored for the user, by keywords and by meaning.',
    input: z.strictObject({ query: z.string().max(1_000), limit: z.int().min(1).max(100).optional() }),
    readOnly: true,
    request: ({ query, limit }) => ({ method: 'get', route: knowledge, query: { q: query, limit } }),
  }),
  tool({
    name: 'store_knowledge',
    title: 'Store knowledge',
    description: 'Stores something for the user, to be found by search_knowledge and used by runs.',
    input: z.strictObject({
      category: z.string().min(1).max(64).describe('For example fact, preference, decision'),
      title: z.string().min(1).max(200),
      content: z.string().min(1).max(20_000),
      keywords: z.array(z.string().min(1).max(64)).max(50).optional(),
    }),
    readOnly: false,
    request: (body) => ({ method: 'post', route: knowledge, body }),
  }),
];

const work: ToolRow[] = [
  tool({
    name: 'start_run',
    title: 'Start a run',
    description:
      'Starts a run that works on a goal autonomously, and returns its session_id immediately. Charged at the price of the models it uses.',
    input: z.strictObject({
      goal: z.string().trim().min(1).max(200_000),
      max_cost: maxCost.describe('In dollars; the run pauses when it is reached'),
    }),
    readOnly: false,
    request: ({ goal, max_cost }) => ({
      method: 'post',
      route: `${runs}/execute`,
      body: { message: goal, ...(max_cost !== undefined && { max_cost }) },
    }),
  }),
  tool({
    name: 'follow_run',
    title: 'Follow a run',
    description: 'Returns the status of a run, and its result if it has one.',
    input: z.strictObject({ session_id: sessionId }),
    readOnly: true,
    request: ({ session_id }) => ({ method: 'get', route: `${runs}/{session_id}/status`, params: { session_id } }),
  }),
  tool({
    name: 'steer_run',
    title: 'Steer a run',
    description: 'Resumes a run that is paused or was stopped, with instructions that apply to all further steps.',
    input: z.strictObject({
      session_id: sessionId,
      checkpoint_id: z.string().min(1).max(128).describe('The checkpoint_id returned by follow_run or stop_run'),
      instructions: z.string().trim().min(1).max(20_000).optional(),
      max_cost: maxCost.describe('A higher one, in dollars, for a run that paused because of it'),
    }),
    readOnly: false,
    request: (body) => ({ method: 'post', route: `${runs}/resume`, body }),
  }),
  tool({
    name: 'stop_run',
    title: 'Stop a run',
    description: 'Stops a run. Its finished work is kept, and steer_run can resume it from there.',
    input: z.strictObject({ session_id: sessionId, reason: z.string().max(1_000).optional() }),
    readOnly: false,
    request: (body) => ({ method: 'post', route: `${runs}/cancel`, body }),
  }),
];

const rest: ToolRow[] = [
  tool({
    name: 'make_video',
    title: 'Make a video',
    description: 'Starts generating a video, and returns its id immediately. Charged at the model’s price.',
    input: z.strictObject({
      model: z.string().min(1).max(256),
      prompt: z.string().min(1).max(10_000),
      duration: z.int().min(1).max(60).optional().describe('In seconds'),
      size: z.string().max(20).optional().describe('For example 1280x720'),
    }),
    readOnly: false,
    request: (body) => ({ method: 'post', route: '/v1/videos', body }),
  }),
  tool({
    name: 'follow_video',
    title: 'Follow a video',
    description: 'Returns the status of a video, and its address when it is ready.',
    input: z.strictObject({ id: z.string().min(1).max(128).describe('The id returned by make_video') }),
    readOnly: true,
    request: ({ id }) => ({ method: 'get', route: '/v1/videos/{jobId}', params: { jobId: id } }),
  }),
  tool({
    name: 'read_usage',
    title: 'Read usage',
    description: 'Sums up the user’s usage and cost per day, model or API key.',
    input: z.strictObject({
      group_by: z.enum(['day', 'model', 'token']).optional(),
      from: z.int().min(0).optional().describe('Unix seconds'),
      to: z.int().min(0).optional().describe('Unix seconds'),
    }),
    readOnly: true,
    request: (query) => ({ method: 'get', route: '/api/usage/summary', query }),
  }),
];

export const toolTable: readonly ToolRow[] = [...models, ...memory, ...work, ...rest];
