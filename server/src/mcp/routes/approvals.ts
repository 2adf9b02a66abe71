import { idParams, nothingAsked } from '../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { answerApproval, listApprovals } from '../approvals.ts';
import type { McpContext } from '../context.ts';
import { answers, approvalAnswer } from './schemas.ts';
import { viewApproval } from './views.ts';

/** Sessions only: otherwise a program with an API key could approve its own calls. */
const shared = {
  tag: 'Tools',
  auth: 'session',
  errors: 'management',
  limit: { option: 'RateLimitApi', by: 'principal' },
  query: nothingAsked,
} as const;
const path = '/api/mcp/approvals';

/** Approving calls of tools that ask first. */
export const approvalRoutes = (room: McpContext): Route[] => [
  defineRoute({
    ...shared,
    method: 'get',
    path,
    summary: 'List tool calls made for you over MCP that are waiting for your decision or have been decided',
    answers: { 200: answers.approvals },
    handle: async (call) => {
      const approvals = await listApprovals(room, call.principal.user.id);
      return ok(call, { approvals: approvals.map(viewApproval) });
    },
  }),
  defineRoute({
    ...shared,
    method: 'post',
    path: `${path}/{id}`,
    summary: 'Approve or reject a tool call; an approved call can be made once',
    params: idParams,
    body: approvalAnswer,
    audit: {
      action: (call) => (call.body.approved ? 'mcp_call_approved' : 'mcp_call_refused'),
      subject: { type: 'mcp_approval' },
      id: (call) => call.params.id,
      also: (_, { data }) => ({ server: data.server, tool: data.tool }),
    },
    answers: { 200: answers.approval },
    handle: async (call) => {
      const which = { id: call.params.id, userId: call.principal.user.id };
      return ok(call, viewApproval(await answerApproval(room, which, call.body.approved)));
    },
  }),
];
