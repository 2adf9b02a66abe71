import { z } from 'zod';
import type { Params } from '../connection.ts';
import type { McpServer } from '../store/servers.ts';
import { startedTaskOf, taskStatusOf, tasksExtension } from '../task-answers.ts';
import { opensTool } from './caller.ts';
import type { FrontContext } from './context.ts';
import { badParams, type Exchange, internalError, RpcError } from './endpoint.ts';
import { forwardRequest } from './forward-request.ts';
import { openTaskId, sealTaskId } from './task-ids.ts';

/** Methods of the tasks extension for revision 2026-07-28. */
const methods = ['tasks/get', 'tasks/update', 'tasks/cancel'];
export const isTaskMethod = (method: string): boolean => methods.includes(method);

/** The capability by which a server announces tasks. */
export const withTasks = { extensions: { [tasksExtension]: {} } };

/** Clients state their capabilities with each request, and only these count. */
export function understandsTasks({ _meta }: Params): boolean {
  return capabilities.safeParse(_meta).success;
}

const capabilities = z.object({
  'io.modelcontextprotocol/clientCapabilities': z.object({
    extensions: z.object({ [tasksExtension]: z.record(z.string(), z.unknown()) }),
  }),
});

interface Begun {
  server: McpServer;
  tool: string;
  params: Params;
}

/** The result of a call that the server continues as a task, under a name that only this caller can use. */
export function begunTask(
  room: FrontContext,
  { server, tool, params }: Begun,
  answer: Params,
  exchange: Exchange,
): Params {
  const task = startedTaskOf(answer);
  // A client that did not declare support for tasks must not receive one.
  if (!task || !understandsTasks(params))
    throw nonsense(room, server, 'tools/call', ' It is not known whether the tool did anything.');
  return { ...answer, taskId: sealTaskId(room.sealer, exchange.caller, { server, tool, taskId: task.taskId }) };
}

type FindServer = (name: string) => McpServer | null | Promise<McpServer | null>;

/** Reads, updates or cancels a task. `find` resolves the servers available at this endpoint. */
export async function answerTask(
  room: FrontContext,
  { method, params }: { method: string; params: Params },
  exchange: Exchange,
  find: FindServer,
): Promise<Params> {
  if (!understandsTasks(params)) throw notUnderstood();
  const { caller } = exchange;
  const opened = openTaskId(room.sealer, caller, params.taskId);
  const server = opened && (await find(opened.server));
  // A caller who lost access to the server or tool meanwhile no longer sees the task.
  if (!opened || !server || !opened.isAt(server) || !opensTool(caller, server.name, opened.tool)) throw noTask();
  if (!(await room.known.tool(server.id, opened.tool))) throw noTask();
  const { taskId } = opened;
  const answer = await forwardRequest(room, server, { method, params: { ...params, taskId } }, exchange);
  // The other methods only acknowledge.
  if (method !== 'tasks/get') return {};
  if (!taskStatusOf(taskId, answer)) throw nonsense(room, server, method);
  return { ...answer, taskId: params.taskId };
}

const noTask = (): RpcError => badParams('There is no such task.');

const notUnderstood = (): RpcError =>
  new RpcError(-32_021, `Declare support for ${tasksExtension} in the request.`, {
    requiredCapabilities: withTasks,
  });

function nonsense(room: FrontContext, { name }: McpServer, method: string, known = ''): RpcError {
  const why = 'its response does not follow the protocol';
  room.log.warn({ server: name, method, fault: why }, 'a connected server failed');
  return internalError(`The server ${name} failed: ${why}.${known}`);
}
