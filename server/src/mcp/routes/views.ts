import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { Secret } from '../../lib/changes.ts';
import type { Subject } from '../../platform/http/audit-rule.ts';
import type { ShownApproval } from '../approvals.ts';
import type { ServerTest } from '../approve.ts';
import type { McpContext } from '../context.ts';
import { type Definition, isAsApproved } from '../definition.ts';
import type { ServerInput } from '../servers.ts';
import type { SharedSigner } from '../shared-sign-in.ts';
import { findServer, type McpServer } from '../store/servers.ts';
import { type AllowedTool, allowedTools } from '../store/tools.ts';
import { offeredName } from '../tool-names.ts';
import type { approvalView } from './approval-view.ts';
import type { serverChange, serverView, testedTool, testView } from './schemas.ts';

/** Only the given fields, so that spreading the result overrides nothing by accident. */
export function givenOf(body: z.infer<typeof serverChange>): Partial<Omit<ServerInput, 'name'>> {
  const fields = {
    url: body.url,
    headers: body.headers,
    enabled: body.enabled,
    timeoutMs: body.timeout_ms,
    audience: body.audience,
    userIds: body.user_ids && [...new Set(body.user_ids)],
    auth: body.auth,
    offers: body.offers && [...new Set(body.offers)],
    callsPerMinute: body.calls_per_minute,
    clientId: body.client_id,
    clientSecret: body.client_secret,
    clientKey: body.client_key,
    assertionFile: body.assertion_file,
    vouchedBy: body.vouched_by,
    sharedSignIn: body.sign_in && body.sign_in === 'shared',
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function ownerOf({ ownerId, organisationId }: McpServer): z.infer<typeof serverView>['owner'] {
  if (organisationId !== null) return { type: 'organisation', id: organisationId };
  return ownerId === null ? { type: 'operator', id: null } : { type: 'user', id: ownerId };
}

export const viewServer = (
  server: McpServer,
  tools: readonly AllowedTool[],
  signer: SharedSigner | null,
): z.infer<typeof serverView> => ({
  id: server.id,
  name: server.name,
  url: server.url,
  header_names: server.headerNames,
  enabled: server.enabled,
  timeout_ms: server.timeoutMs,
  audience: server.audience,
  user_ids: server.userIds,
  auth: server.auth,
  offers: server.offers,
  owner_id: server.ownerId,
  owner: ownerOf(server),
  calls_per_minute: server.callsPerMinute,
  client_id: server.clientId,
  has_client_secret: server.sealedClientSecret !== '',
  has_client_key: server.sealedClientKey !== '',
  assertion_file: server.assertionFile,
  vouched_by: server.vouchedBy,
  blocked: server.blocked,
  sign_in: server.sharedSignIn ? 'shared' : 'each',
  signed_in_by: signer,
  tools: tools
    .filter(({ serverId }) => serverId === server.id)
    .map(({ name, askFirst, definition, price }) => ({
      ...{ name, offered_as: offeredName(server.name, name), ask_first: askFirst, definition, price },
    })),
  created_at: server.createdAt,
  updated_at: server.updatedAt,
});

/**
 * What the audit log compares before and after a change. Of the headers it shows only the names; of their values and
 * the client's secret and key, only that they changed.
 */
export const serverSubject = ({ db }: Pick<McpContext, 'db'>): Subject => ({
  type: 'mcp_server',
  look: async (id) => {
    const server = await findServer(db, Number(id));
    if (!server) return null;
    const shown = viewServer(server, await allowedTools(db, [server.id]), null);
    const {
      id: _,
      owner: __,
      signed_in_by: ___,
      created_at,
      updated_at,
      tools,
      has_client_secret,
      has_client_key,
      ...state
    } = shown;
    const allowed = tools.map(({ name, ask_first, definition, price }) => ({ name, ask_first, definition, price }));
    const secrets = {
      headers: new Secret(server.sealedHeaders),
      client_secret: new Secret(server.sealedClientSecret),
      client_key: new Secret(server.sealedClientKey),
    };
    const { name, organisationId } = server;
    const partOf = organisationId === null ? {} : { partOf: { type: 'organisation', id: organisationId } };
    return { name, state: { ...state, tools: allowed, ...secrets }, ...partOf };
  },
});

type TestedTool = z.infer<typeof testedTool>;

export function viewTest(server: string, test: ServerTest): z.infer<typeof testView> {
  const latency_ms = test.latencyMs;
  if (!test.ok) return { ok: false, latency_ms, error: test.error, tools: [], cut: false };
  const { about, listing } = test.looked;
  const left = new Map(test.allowed.map((tool) => [tool.name, tool]));
  const tools = listing.definitions.map((definition) => {
    const allowed = left.get(definition.name);
    left.delete(definition.name);
    return viewTool(server, definition, allowed);
  });
  return {
    ok: true,
    latency_ms,
    server: about,
    tools: [...tools, ...[...left.values()].map((tool) => viewMissing(server, tool))],
    cut: listing.cut,
  };
}

function viewTool(server: string, definition: Definition, allowed: AllowedTool | undefined): TestedTool {
  const { name, description, inputSchema, further, hash, problem } = definition;
  const state = !allowed ? 'new' : isAsApproved([definition], allowed) ? 'approved' : 'changed';
  return {
    ...{ name, offered_as: offeredName(server, name), state, description, input_schema: inputSchema },
    ...{ further: { ...further }, definition: hash, problem, approved: viewApproved(allowed) },
    changes: allowed && state === 'changed' ? changesOf(allowed, definition) : [],
  };
}

/** Old and new side by side, unmodified: the person who approves judges what a description tells a model. */
function changesOf(before: AllowedTool, after: Definition): TestedTool['changes'] {
  const fields = [
    { field: 'description', before: before.description, after: after.description },
    { field: 'input_schema', before: before.inputSchema, after: after.inputSchema },
    { field: 'further', before: before.further ?? {}, after: after.further },
  ] as const;
  return fields.filter((field) => !isDeepStrictEqual(field.before, field.after));
}

const viewMissing = (server: string, tool: AllowedTool): TestedTool => ({
  ...{ name: tool.name, offered_as: offeredName(server, tool.name), state: 'missing' },
  ...{ description: tool.description, input_schema: tool.inputSchema, definition: tool.definition },
  ...{ further: { ...tool.further }, problem: null, approved: viewApproved(tool), changes: [] },
});

const viewApproved = (tool: AllowedTool | undefined): TestedTool['approved'] =>
  tool
    ? {
        ...{ description: tool.description, input_schema: tool.inputSchema },
        ...{ further: { ...tool.further }, ask_first: tool.askFirst },
      }
    : null;

export const viewApproval = (approval: ShownApproval): z.infer<typeof approvalView> => ({
  ...{ id: approval.id, server: approval.server, tool: approval.tool, arguments: approval.arguments },
  arguments_text: JSON.stringify(approval.arguments, null, 2),
  ...{ state: approval.state, created_at: approval.createdAt, expires_at: approval.expiresAt },
  asked_by: approval.askedBy,
  organisation: approval.organisation,
});
