/** Tools that continue after they have answered, and the server side of their tasks (io.modelcontextprotocol/tasks). */
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { More, ScriptedTool } from '../../server/src/mcp/mcp.fixture.ts';
import { answered, form, needs, says } from './reference-tools.ts';

const extension = 'io.modelcontextprotocol/tasks';
const required = { extensions: { [extension]: {} } };

type Fields = Record<string, unknown>;
type Asked = ReturnType<typeof form>;

interface Task {
  id: string;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  createdAt: string;
  lastUpdatedAt: string;
  /** The result. */
  outcome: { result: object } | { error: { code: number; message: string } } | null;
  /** The input it waits for, and the function that gets the answer. */
  pending: Map<string, { request: Asked; tell(response: Fields): void }>;
  stop: AbortController;
}

/** The work of a tool in the background; it may ask for input any number of times. */
type Work = (asks: (key: string, request: Asked) => Promise<Fields>, signal: AbortSignal) => Promise<object>;

const failure = (code: number, message: string, data?: object) => Object.assign(new Error(message), { code, data });
const ttlMs = 5 * 60_000;

class Tasks {
  readonly #known = new Map<string, Task>();

  begin(work: Work): Fields {
    const createdAt = new Date().toISOString();
    const task: Task = {
      ...{ id: crypto.randomUUID(), status: 'working', createdAt, lastUpdatedAt: createdAt, outcome: null },
      ...{ pending: new Map(), stop: new AbortController() },
    };
    this.#known.set(task.id, task);
    const asks = (key: string, request: Asked) =>
      new Promise<Fields>((tell) => {
        task.pending.set(key, { request, tell });
        change(task, 'input_required');
      });
    work(asks, task.stop.signal).then(
      (result) => end(task, 'completed', { result }),
      ({ code = -32_603, message }) => end(task, 'failed', { error: { code, message } }),
    );
    return { resultType: 'task', ...seedOf(task) };
  }

  get(id: unknown): Fields {
    const task = this.#find(id);
    const asked = [...task.pending].map(([key, { request }]) => [key, request] as const);
    return {
      ...seedOf(task),
      ...task.outcome,
      ...(task.status === 'input_required' && { inputRequests: Object.fromEntries(asked) }),
    };
  }

  update(id: unknown, responses: Fields): void {
    const task = this.#find(id);
    for (const [key, response] of Object.entries(responses)) {
      const waiting = task.pending.get(key);
      if (!task.pending.delete(key)) continue;
      if (task.pending.size === 0) change(task, 'working');
      waiting?.tell(response as Fields);
    }
  }

  cancel(id: unknown): void {
    const task = this.#find(id);
    end(task, 'cancelled', null);
    task.stop.abort();
  }

  #find(id: unknown): Task {
    const task = this.#known.get(String(id));
    if (!task) throw failure(-32_602, 'Task not found');
    return task;
  }
}

const seedOf = ({ id: taskId, status, createdAt, lastUpdatedAt }: Task): Fields => ({
  ...{ taskId, status, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs: 200 },
});

const isOver = ({ status }: Task): boolean => status !== 'working' && status !== 'input_required';

function change(task: Task, status: Task['status']): void {
  if (isOver(task)) return;
  task.status = status;
  task.lastUpdatedAt = new Date().toISOString();
}

/** A finished task does not change. */
function end(task: Task, status: Task['status'], outcome: Task['outcome']): void {
  if (isOver(task)) return;
  change(task, status);
  task.outcome = outcome;
  task.pending.clear();
}

function understands({ mcpReq }: ServerContext): boolean {
  const said = mcpReq.envelope as Record<string, { extensions?: Fields }> | undefined;
  return said?.['io.modelcontextprotocol/clientCapabilities']?.extensions?.[extension] !== undefined;
}

function requireTasks(context: ServerContext): void {
  if (!understands(context))
    throw failure(-32_021, 'Missing required client capability', { requiredCapabilities: required });
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new Error('taken back'));
    });
  });

const confirmed = form('Really?', 'confirm', 'boolean');

function toolsOf(tasks: Tasks): ScriptedTool[] {
  /** A tool that works only as a task. */
  const only = (name: string, work: Work): ScriptedTool => ({
    name,
    answer: (_, context) => {
      requireTasks(context);
      return tasks.begin(work);
    },
  });
  return [
    { name: 'greet', answer: ({ name }) => `Hello, ${name}!` },
    {
      name: 'slow_compute',
      answer: ({ seconds, label }, context) => {
        const work: Work = async (_, signal) => {
          await pause(Number(seconds) * 1_000, signal);
          return says(`${label}: computed for ${seconds} s`);
        };
        return understands(context) ? tasks.begin(work) : work(() => Promise.resolve({}), context.mcpReq.signal);
      },
    },
    only('failing_job', async (_, signal) => {
      await pause(1_000, signal);
      return { ...says('The job failed, as it always does.'), isError: true };
    }),
    only('protocol_error_job', async () => {
      throw failure(-32_603, 'The job broke.');
    }),
    {
      // The first one by name; other scenarios call it without declaring that they support tasks.
      name: 'confirm_delete',
      answer: (_, context) => {
        if (!understands(context)) return 'Nothing was deleted: nobody could be asked.';
        return tasks.begin(async (asks) => says(JSON.stringify(await asks('confirm', confirmed))));
      },
    },
    only('multi_input', async (asks) => {
      const both = await Promise.all([asks('first', form('Who?', 'name')), asks('second', confirmed)]);
      return says(JSON.stringify(both));
    }),
    {
      name: 'test_tool_with_task',
      answer: (_, context) => {
        requireTasks(context);
        const given = answered(context).user_name?.content?.name;
        if (typeof given !== 'string') return needs({ user_name: form('What is your name?', 'name') });
        return tasks.begin(async () => says(`Hello, ${given}!`));
      },
    },
  ];
}

function serve(server: Server, tasks: Tasks): void {
  const answers: Record<string, (taskId: unknown, context: ServerContext) => Fields | undefined> = {
    'tasks/get': (taskId) => tasks.get(taskId),
    'tasks/update': (taskId, context) => void tasks.update(taskId, answered(context)),
    'tasks/cancel': (taskId) => void tasks.cancel(taskId),
  };
  for (const [method, answer] of Object.entries(answers))
    server.setRequestHandler(method, { params: z.looseObject({}) }, (params, context) => {
      requireTasks(context);
      return answer(params.taskId, context) ?? {};
    });
}

/** One instance per server, so that every request sees the same tasks. */
export function referenceTasks(): More & { tools: ScriptedTool[] } {
  const tasks = new Tasks();
  return { tools: toolsOf(tasks), capabilities: required, set: (server) => serve(server, tasks) };
}
