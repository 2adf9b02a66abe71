import type { ConnectedTools } from '../lib/connected-tools.ts';
import { offsetOf } from '../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../platform/http/route.ts';
import { allowTools, approveTool, testServer } from './approve.ts';
import type { McpRoom } from './room.ts';
import { approvalRoutes } from './routes/approvals.ts';
import {
  answers,
  idParams,
  nothingAsked,
  pageQuery,
  serverChange,
  serverCreate,
  toolApproval,
  toolParams,
  toolsChange,
} from './routes/schemas.ts';
import { givenOf, serverSubject, viewServer, viewTest } from './routes/views.ts';
import { addServer, changeServer, getServer, removeServer, serverDefaults } from './servers.ts';
import { type McpServer, pageServers } from './store/servers.ts';
import { allowedTools } from './store/tools.ts';

const shared = {
  tag: 'Tools',
  errors: 'management',
  limit: { option: 'RateLimitApi', by: 'principal' },
  query: nothingAsked,
} as const;
const admin = { ...shared, auth: 'admin' } as const;
const path = '/api/mcp/servers';

export const mcpRoutes = (room: McpRoom, tools: ConnectedTools): Route[] => [
  ...readRoutes(room, tools),
  ...writeRoutes(room),
  ...toolRoutes(room),
  ...approvalRoutes(room),
];

const shown = async ({ db }: McpRoom, server: McpServer) => viewServer(server, await allowedTools(db, [server.id]));

function readRoutes(room: McpRoom, tools: ConnectedTools): Route[] {
  return [
    defineRoute({
      ...admin,
      method: 'get',
      path,
      summary: 'List the MCP servers that are connected',
      query: pageQuery,
      answers: { 200: answers.servers },
      handle: async (call) => {
        const { page, page_size } = call.query;
        const { servers, total } = await pageServers(room.db, { limit: page_size, offset: offsetOf(call.query) });
        const allowed = await allowedTools(
          room.db,
          servers.map(({ id }) => id),
        );
        return ok(call, { servers: servers.map((server) => viewServer(server, allowed)), total, page, page_size });
      },
    }),
    defineRoute({
      ...admin,
      method: 'get',
      path: `${path}/{id}`,
      summary: 'Show an MCP server',
      params: idParams,
      answers: { 200: answers.server },
      handle: async (call) => ok(call, await shown(room, await getServer(room, call.params.id))),
    }),
    defineRoute({
      ...shared,
      auth: 'keyOrSession',
      method: 'get',
      path: '/api/mcp/tools',
      summary: 'Tools of connected servers that the caller may use, as they are offered to models',
      answers: { 200: answers.tools },
      handle: async (call) => {
        const usable = await tools.list(call.principal.user.id);
        return ok(call, { tools: usable.map(({ askFirst, ...tool }) => ({ ...tool, ask_first: askFirst })) });
      },
    }),
  ];
}

function writeRoutes(room: McpRoom): Route[] {
  const subject = serverSubject(room);
  return [
    defineRoute({
      ...admin,
      method: 'post',
      path,
      summary: 'Connect an MCP server (Streamable HTTP). None of its tools is offered before it is allowed',
      idempotent: true,
      body: serverCreate,
      audit: { action: 'mcp_server_created', subject, id: (_, answer) => answer?.data.id },
      answers: { 201: answers.server },
      handle: async (call) => {
        const { name, url, ...rest } = call.body;
        const server = await addServer(room, { ...serverDefaults, ...givenOf(rest), name, url });
        return ok(call, await shown(room, server), 201);
      },
    }),
    defineRoute({
      ...admin,
      method: 'put',
      path: `${path}/{id}`,
      summary:
        'Change an MCP server; fields not given stay, headers given replace all there were. Another origin needs the headers again',
      params: idParams,
      body: serverChange,
      audit: { action: 'mcp_server_updated', subject, id: (call) => call.params.id },
      answers: { 200: answers.server },
      handle: async (call) => ok(call, await shown(room, await changeServer(room, call.params.id, givenOf(call.body)))),
    }),
    defineRoute({
      ...admin,
      method: 'delete',
      path: `${path}/{id}`,
      summary: 'Disconnect an MCP server, and forget what was allowed of it',
      params: idParams,
      audit: { action: 'mcp_server_deleted', subject, id: (call) => call.params.id },
      answers: { 200: answers.done },
      handle: async (call) => {
        await removeServer(room, call.params.id);
        return ok(call, { id: call.params.id });
      },
    }),
  ];
}

function toolRoutes(room: McpRoom): Route[] {
  const subject = serverSubject(room);
  return [
    defineRoute({
      ...admin,
      method: 'post',
      path: `${path}/{id}/test`,
      summary: 'Connect to the server and list its tools as they stand, beside what was approved',
      params: idParams,
      audit: {
        action: 'mcp_server_tested',
        subject,
        id: (call) => call.params.id,
        also: (_, { data }) => ({ ok: data.ok }),
      },
      answers: { 200: answers.test },
      handle: async (call) => {
        const { name } = await getServer(room, call.params.id);
        return ok(call, viewTest(name, await testServer(room, call.params.id, call.signal)));
      },
    }),
    defineRoute({
      ...admin,
      method: 'put',
      path: `${path}/{id}/tools`,
      summary: 'Say which tools are allowed and which ask first, and approve their definitions',
      params: idParams,
      body: toolsChange,
      audit: { action: 'mcp_tools_set', subject, id: (call) => call.params.id },
      answers: { 200: answers.server },
      handle: async (call) => {
        const wanted = call.body.tools.map(({ ask_first, ...tool }) => ({ ...tool, askFirst: ask_first }));
        return ok(call, await shown(room, await allowTools(room, call.params.id, wanted, call.signal)));
      },
    }),
    defineRoute({
      ...admin,
      method: 'post',
      path: `${path}/{id}/tools/{name}/approve`,
      summary: 'Approve the definition of one tool, as a test shows it: of a new one, or of one that has changed',
      params: toolParams,
      body: toolApproval,
      audit: { action: 'mcp_tool_approved', subject, id: (call) => call.params.id },
      answers: { 200: answers.server },
      handle: async (call) => {
        const { id, name } = call.params;
        const { definition, ask_first: askFirst } = call.body;
        return ok(call, await shown(room, await approveTool(room, id, { name, definition, askFirst }, call.signal)));
      },
    }),
  ];
}
