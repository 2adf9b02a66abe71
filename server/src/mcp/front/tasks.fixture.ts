import type { Member } from '../../app.fixture.ts';
import type { More, ScriptedTool } from '../mcp.fixture.ts';
import type { FrontTest } from './front.fixture.ts';

export const tasksExtension = 'io.modelcontextprotocol/tasks';
const can = 'io.modelcontextprotocol/clientCapabilities';
const revision = '2026-07-28';

type Fields = Record<string, unknown>;

/** A task as the server behind keeps it. */
interface KeptTask extends Fields {
  taskId: string;
  status: string;
}

/** What a server with tasks has besides its tools, and what a test sees of it. */
export interface TaskScript {
  more: More;
  tools: ScriptedTool[];
  tasks: Map<string, KeptTask>;
  /** Requests about tasks that reached the server. */
  asked: { method: string; params: Fields }[];
  /** In place of what it would say of a task. */
  says: ((task: KeptTask) => unknown) | null;
}

const noTask = () => Object.assign(new Error('no such task here'), { code: -32_602 });

/** Long work that says what it was given when the test ends it; `wait` answers with a task whoever asks. */
export function taskScript(): TaskScript {
  const script = { tasks: new Map(), asked: [], says: null } as unknown as TaskScript;
  const begin = (status: string, more: Fields = {}): Fields => {
    const at = new Date().toISOString();
    const taskId = crypto.randomUUID();
    const task = { taskId, status, createdAt: at, lastUpdatedAt: at, ttlMs: 60_000, pollIntervalMs: 50, ...more };
    script.tasks.set(taskId, task);
    const { inputRequests: _, ...seed } = task as Fields;
    return { resultType: 'task', ...seed };
  };
  const asks = { mode: 'form', message: 'Really?', requestedSchema: { type: 'object', properties: {} } };
  script.tools = [
    { name: 'wait', answer: () => begin('working') },
    {
      name: 'confirm',
      answer: () =>
        begin('input_required', { inputRequests: { sure: { method: 'elicitation/create', params: asks } } }),
    },
    { name: 'at_once' },
  ];
  const find = (params: Fields): KeptTask => {
    const task = script.tasks.get(String(params.taskId));
    if (!task) throw noTask();
    return task;
  };
  const answers: Record<string, (params: Fields) => unknown> = {
    'tasks/get': (params) => script.says?.(find(params)) ?? find(params),
    'tasks/update': (params) => {
      const task = find(params);
      const result = { content: [{ type: 'text', text: JSON.stringify(params.inputResponses) }] };
      script.tasks.set(task.taskId, { ...task, status: 'completed', inputRequests: undefined, result });
      return {};
    },
    'tasks/cancel': (params) => {
      const task = find(params);
      script.tasks.set(task.taskId, { ...task, status: 'cancelled' });
      return { taskId: task.taskId };
    },
  };
  script.more = {
    capabilities: { extensions: { [tasksExtension]: {} } },
    set: (server) => {
      for (const [method, answer] of Object.entries(answers))
        server.setRequestHandler(method, { params: anything }, (given, { mcpReq }) => {
          const { inputResponses } = mcpReq;
          const params = { ...(given as Fields), ...(inputResponses && { inputResponses }) };
          script.asked.push({ method, params });
          return answer(params) as never;
        });
    },
  };
  return script;
}

/** Of the standard that the library takes schemas in: this one takes everything. */
const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

export const endTask = (script: TaskScript, text: string): void => {
  for (const task of script.tasks.values())
    if (task.status === 'working')
      script.tasks.set(task.taskId, { ...task, status: 'completed', result: { content: [{ type: 'text', text }] } });
};

export interface Answered {
  status: number;
  result?: Fields;
  error?: { code: number; message: string; data?: unknown };
}

/** A client that says what it can with each request, and reads answers as they are. */
export const newestClient =
  (send: Member['call'], by: string, understands = true) =>
  async (path: string, method: string, params: Fields = {}): Promise<Answered> => {
    const capabilities = understands ? { extensions: { [tasksExtension]: {} }, elicitation: {} } : {};
    const _meta = { 'io.modelcontextprotocol/protocolVersion': revision, [can]: capabilities };
    const named = params.taskId ?? params.name;
    const headers = {
      ...{ authorization: `Bearer ${by}`, accept: 'application/json, text/event-stream' },
      ...{ 'mcp-protocol-version': revision, 'mcp-method': method },
      ...(named !== undefined && { 'mcp-name': String(named) }),
    };
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
    const answer = await send(path, { method: 'POST', body, headers });
    return { status: answer.status, ...messageIn(await answer.text()) };
  };

/** JSON, or the last of the events. */
function messageIn(text: string): Omit<Answered, 'status'> {
  const last = text.trim().split('\n').at(-1)!;
  return JSON.parse(last.startsWith('data: ') ? last.slice('data: '.length) : text) as Omit<Answered, 'status'>;
}

export type Client = ReturnType<typeof newestClient>;

export const taskMethods = ['tasks/get', 'tasks/update', 'tasks/cancel'];

export const beginTask = async (by: Client, path: string, tool: string): Promise<string> => {
  const { result, error } = await by(path, 'tools/call', { name: tool, arguments: {} });
  if (typeof result?.taskId !== 'string') throw new Error(JSON.stringify(error ?? result));
  return result.taskId;
};

export const aboutTask = (by: Client, path: string, method: string, taskId: unknown): Promise<Answered> =>
  by(path, method, { taskId, ...(method === 'tasks/update' && { inputResponses: {} }) });

/** As it is said of whatever is not the caller's. */
export const noSuchTask = { error: { code: -32_602, message: 'There is no such task.' } };

/** A server with tasks behind the gateway, and a client in front of it. */
export async function connectTasks(f: FrontTest) {
  const script = taskScript();
  const { id, name } = await f.connected(f.start(script.tools, 'modern', true, script.more));
  return { script, id, name, ask: newestClient(f.t.call, f.key) };
}

/** Where its tools are found, and what stands before their names there. */
export const placesOf = (name: string) =>
  [
    [`/mcp/${name}`, ''],
    ['/mcp', `${name}__`],
  ] as const;

/** The server's own name for the task that it began last. */
export const lastTask = ({ tasks }: TaskScript): string => [...tasks.keys()].at(-1)!;
