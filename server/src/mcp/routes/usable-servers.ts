import type { z } from 'zod';
import { originOf } from '../../identity/audit/record-acts.ts';
import type { KeyPrincipal } from '../../identity/principals.ts';
import { nothingAsked } from '../../platform/http/paging.ts';
import { type Call, defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { connectionsOf, type UsableConnection } from '../connections.ts';
import type { FrontContext } from '../front/context.ts';
import type { Exchange } from '../front/endpoint.ts';
import { ownName } from '../front/own-server.ts';
import { callFromPlayground } from '../front/playground-call.ts';
import { ownerFor } from '../owner.ts';
import { offeredName } from '../tool-names.ts';
import { answers, type connectionView, handCall, toolNameParams } from './schemas.ts';

/** Sessions only: a call made by hand counts as the person's consent, which a program must not give. */
const shared = { tag: 'Tools', auth: 'session', errors: 'management', query: nothingAsked } as const;

/** Lists the servers that a person may use, and lets them try the tools. */
export const usableServerRoutes = (room: FrontContext): Route[] => [
  defineRoute({
    ...shared,
    method: 'get',
    path: '/api/mcp/connections',
    summary: 'List the servers you can use, with their URLs for agents and their allowed tools',
    limit: { option: 'RateLimitApi', by: 'principal' },
    answers: { 200: answers.connections },
    handle: async (call) => {
      const { principal } = call;
      const usersMayConnect = room.settings.usersMayConnect();
      const connections = await connectionsOf(room, principal, usersMayConnect);
      return ok(call, {
        address: `${room.baseUrl}/mcp`,
        api_keys: room.settings.keysAllowed(),
        may_connect: usersMayConnect || ownerFor(principal) === null,
        servers: [viewOwn(room), ...connections.map((connection) => viewConnection(room, connection))],
      });
    },
  }),
  defineRoute({
    ...shared,
    method: 'post',
    path: '/api/mcp/tools/{name}/call',
    summary:
      'Call a tool by the name it is offered under. Tools that require approval are called immediately, because you would be the one to approve them',
    limit: { option: 'RateLimitMcp', by: 'principal' },
    params: toolNameParams,
    body: handCall,
    audit: 'recorded',
    // The tool may have side effects, and cost money.
    idempotent: true,
    answers: { 200: answers.handCall },
    handle: async (call) => {
      const asked = { name: call.params.name, args: call.body.arguments };
      const { result, error, durationMs } = await callFromPlayground(room, asked, exchangeOf(call));
      return ok(call, { result, error, duration_ms: durationMs });
    },
  }),
];

type ConnectionView = z.infer<typeof connectionView>;

const viewConnection = (
  { baseUrl }: FrontContext,
  { server, tools, manageable, own, organisation, signedIn, signedInBy, signInThrough }: UsableConnection,
): ConnectionView => ({
  ...{ id: server.id, name: server.name, address: `${baseUrl}/mcp/${server.name}`, enabled: server.enabled },
  ...{ manageable, own, organisation, auth: server.auth, signed_in: signedIn },
  ...{ signed_in_by: signedInBy, sign_in_through: signInThrough },
  tools: tools.map(({ name, description, inputSchema, askFirst, price }) => ({
    ...{ name, offered_as: offeredName(server.name, name), description },
    ...{ input_schema: inputSchema, ask_first: askFirst, price },
  })),
});

const viewOwn = ({ baseUrl, own }: FrontContext): ConnectionView => ({
  ...{ id: null, name: ownName, address: `${baseUrl}/mcp/${ownName}`, enabled: true },
  ...{ manageable: false, own: false, organisation: null, auth: 'headers', signed_in: null },
  ...{ signed_in_by: null, sign_in_through: null },
  tools: own.list().map(({ name, description, inputSchema }) => ({
    ...{ name, offered_as: offeredName(ownName, name), description },
    ...{ input_schema: inputSchema, ask_first: false, price: 0 },
  })),
});

/** Like a caller with a key, but through a page's session and in person. */
function exchangeOf(call: Call<'session'>): Exchange {
  const { user, limitKey } = call.principal;
  const payer: KeyPrincipal = { user, limitKey, keyId: null, models: [], unlimited: true };
  return {
    caller: { ...payer, audience: null, tools: null, through: 'page', inPerson: true, asPayer: () => payer },
    holder: `${user.id} page`,
    origin: originOf(call),
    requestId: call.requestId,
    signal: call.signal,
  };
}
