import type { z } from 'zod';
import type { ConnectedTools } from '../lib/connected-tools.ts';
import { AppError } from '../lib/errors.ts';
import { idParams, nothingAsked, offsetOf } from '../platform/http/paging.ts';
import { type Call, defineRoute, ok, type Route } from '../platform/http/route.ts';
import { allowTools, approveTool, testServer } from './approve.ts';
import type { McpContext } from './context.ts';
import { isAdministrator, manageableOwners, ownerFor } from './owner.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { grantRoutes } from './routes/grants.ts';
import {
  answers,
  serverChange,
  serverCreate,
  serversQuery,
  toolApproval,
  toolParams,
  toolsChange,
} from './routes/schemas.ts';
import { givenOf, serverSubject, viewServer, viewTest } from './routes/views.ts';
import { addServer, changeServer, getServer, removeServer, serverDefaults } from './servers.ts';
import { sharedSignerOf } from './shared-sign-in.ts';
import { type McpServer, pageServers } from './store/servers.ts';
import { allowedTools } from './store/tools.ts';
import { nameWithin } from './tool-names.ts';

const shared = {
  tag: 'Tools',
  errors: 'management',
  limit: { option: 'RateLimitApi', by: 'principal' },
  query: nothingAsked,
} as const;
const owner = { ...shared, auth: 'mcpOwner' } as const;
const path = '/api/mcp/servers';

export const mcpRoutes = (room: McpContext, tools: ConnectedTools): Route[] => [
  ...readRoutes(room, tools),
  ...writeRoutes(room),
  ...toolRoutes(room),
  ...approvalRoutes(room),
  ...grantRoutes(room),
];

/** The server in the path, if the caller may manage it. */
const within = async (room: McpContext, call: Call<'mcpOwner', unknown, unknown, { id: number }>): Promise<McpServer> =>
  getServer(room, call.params.id, await manageableOwners(room, call.principal));

/** A user's own server is for that user only, and an organisation's for all its members. */
function refuseSharing({ ownerId, organisationId }: Owned, body: z.infer<typeof serverChange>): void {
  const field = (['audience', 'user_ids'] as const).find((name) => body[name] !== undefined);
  if (ownerId === null || field === undefined) return;
  const why =
    organisationId === null
      ? 'your own servers are only for you'
      : "an organisation's servers are only for its members";
  throw new AppError('invalid_value', `${field}: ${why}`, { param: field });
}

/** Payments go to the operator, so only the operator sets prices. */
function refusePrices({ ownerId }: Owned, tools: z.infer<typeof toolsChange>['tools']): void {
  if (ownerId !== null && tools.some(({ price = 0 }) => price > 0))
    throw new AppError('invalid_value', 'price: only tools of the operator’s servers can have a price', {
      param: 'price',
    });
}

type Owned = Pick<McpServer, 'ownerId' | 'organisationId'>;

/**
 * The owner of a new server: the named organisation, if the caller manages its servers; else the caller or the
 * operator.
 */
async function ownedBy(
  { memberships }: McpContext,
  { principal }: Call<'mcpOwner'>,
  organisationId: number | undefined,
): Promise<Owned> {
  if (organisationId === undefined) return { ownerId: ownerFor(principal), organisationId: null };
  const { id, accountId } = await memberships.managed(principal.user.id, organisationId);
  return { ownerId: accountId, organisationId: id };
}

const shown = async (room: McpContext, server: McpServer) =>
  viewServer(server, await allowedTools(room.db, [server.id]), await sharedSignerOf(room, server));

function readRoutes(room: McpContext, tools: ConnectedTools): Route[] {
  return [
    defineRoute({
      ...owner,
      method: 'get',
      path,
      summary: 'List the MCP servers you manage: your own, those of organisations you manage, or all',
      query: serversQuery,
      answers: { 200: answers.servers },
      handle: async (call) => {
        const { page, page_size, organisation_id } = call.query;
        const ownerIds =
          organisation_id === undefined
            ? await manageableOwners(room, call.principal)
            : [(await room.memberships.managed(call.principal.user.id, organisation_id)).accountId];
        const { servers, total } = await pageServers(room.db, {
          ...{ limit: page_size, offset: offsetOf(call.query), ownerIds },
        });
        const allowed = await allowedTools(
          room.db,
          servers.map(({ id }) => id),
        );
        const views = servers.map(async (server) => viewServer(server, allowed, await sharedSignerOf(room, server)));
        return ok(call, { servers: await Promise.all(views), total, page, page_size });
      },
    }),
    defineRoute({
      ...owner,
      method: 'get',
      path: `${path}/{id}`,
      summary: 'Get an MCP server',
      params: idParams,
      answers: { 200: answers.server },
      handle: async (call) => ok(call, await shown(room, await within(room, call))),
    }),
    defineRoute({
      ...shared,
      auth: 'keyOrSession',
      method: 'get',
      path: '/api/mcp/tools',
      summary: 'List the tools of connected servers that the caller may use, in the form offered to models',
      answers: { 200: answers.tools },
      handle: async (call) => {
        const usable = await tools.list(call.principal.user.id);
        return ok(call, { tools: usable.map(({ askFirst, ...tool }) => ({ ...tool, ask_first: askFirst })) });
      },
    }),
  ];
}

function writeRoutes(room: McpContext): Route[] {
  const subject = serverSubject(room);
  return [
    defineRoute({
      ...owner,
      method: 'post',
      path,
      summary: 'Connect an MCP server (Streamable HTTP). Its tools are offered only after you allow them',
      idempotent: true,
      body: serverCreate,
      audit: { action: 'mcp_server_created', subject, id: (_, answer) => answer?.data.id },
      answers: { 201: answers.server },
      handle: async (call) => {
        const { name: given, url, organisation_id, ...rest } = call.body;
        const owned = await ownedBy(room, call, organisation_id);
        refuseSharing(owned, rest);
        const { ownerId, organisationId } = owned;
        const name = organisationId === null ? given : nameWithin(organisationId, given);
        const server = await addServer(room, { ...serverDefaults, ...givenOf(rest), name, url, ownerId });
        return ok(call, await shown(room, server), 201);
      },
    }),
    defineRoute({
      ...owner,
      method: 'put',
      path: `${path}/{id}`,
      summary:
        'Update an MCP server; omitted fields stay unchanged, and new headers replace all existing ones. A new origin requires the headers again',
      params: idParams,
      body: serverChange,
      audit: { action: 'mcp_server_updated', subject, id: (call) => call.params.id },
      answers: { 200: answers.server },
      handle: async (call) => {
        const server = await within(room, call);
        refuseSharing(server, call.body);
        const by = { byOperator: isAdministrator(call.principal) };
        return ok(call, await shown(room, await changeServer(room, server.id, givenOf(call.body), by)));
      },
    }),
    defineRoute({
      ...owner,
      method: 'delete',
      path: `${path}/{id}`,
      summary: 'Disconnect an MCP server and delete its tool permissions',
      params: idParams,
      audit: { action: 'mcp_server_deleted', subject, id: (call) => call.params.id },
      answers: { 200: answers.done },
      handle: async (call) => {
        const { id } = await within(room, call);
        await removeServer(room, id);
        return ok(call, { id });
      },
    }),
  ];
}

function toolRoutes(room: McpContext): Route[] {
  const subject = serverSubject(room);
  return [
    defineRoute({
      ...owner,
      method: 'post',
      path: `${path}/{id}/test`,
      summary: 'Connect to the server and compare its current tools with the approved definitions',
      params: idParams,
      audit: {
        action: 'mcp_server_tested',
        subject,
        id: (call) => call.params.id,
        also: (_, { data }) => ({ ok: data.ok }),
      },
      answers: { 200: answers.test },
      handle: async (call) => {
        const { name } = await within(room, call);
        const test = await testServer(room, call.params.id, call.principal.user.id, call.signal);
        return ok(call, viewTest(name, test));
      },
    }),
    defineRoute({
      ...owner,
      method: 'put',
      path: `${path}/{id}/tools`,
      summary: 'Set which tools are allowed and which require approval, and approve their definitions',
      params: idParams,
      body: toolsChange,
      audit: { action: 'mcp_tools_set', subject, id: (call) => call.params.id },
      answers: { 200: answers.server },
      handle: async (call) => {
        refusePrices(await within(room, call), call.body.tools);
        const wanted = call.body.tools.map(({ ask_first, ...tool }) => ({ ...tool, askFirst: ask_first }));
        const by = call.principal.user.id;
        return ok(call, await shown(room, await allowTools(room, call.params.id, wanted, by, call.signal)));
      },
    }),
    defineRoute({
      ...owner,
      method: 'post',
      path: `${path}/{id}/tools/{name}/approve`,
      summary: 'Approve the definition of a new or changed tool as returned by a test',
      params: toolParams,
      body: toolApproval,
      audit: { action: 'mcp_tool_approved', subject, id: (call) => call.params.id },
      answers: { 200: answers.server },
      handle: async (call) => {
        await within(room, call);
        const { id, name } = call.params;
        const { definition, ask_first: askFirst } = call.body;
        const by = call.principal.user.id;
        const server = await approveTool(room, id, { name, definition, askFirst }, by, call.signal);
        return ok(call, await shown(room, server));
      },
    }),
  ];
}
