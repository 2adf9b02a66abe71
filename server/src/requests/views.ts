import { z } from 'zod';
import { failureSchema, viewFailure, viewWholeFailure, wholeFailureSchema } from '../billing/failure-views.ts';
import { type KeyApplications, usageLogSchema, viewUsage } from '../billing/views.ts';
import { type AccountNames, accountFields, goneAccount } from '../identity/user.ts';
import { decisionSchema, viewDecision } from '../routing/routes/decisions.ts';
import type { FoundRequest } from './find.ts';
import type { Line } from './page.ts';

const int = z.number().int();

const outcomes = ['ok', 'aborted', 'interrupted', 'error', 'failed'] as const;

const fields = {
  request_id: z.string(),
  status: z
    .enum(outcomes)
    .describe(
      '`failed`: not answered. All others were answered; the last three only partly, and name who stopped or caused it',
    ),
  user_id: int,
  token_id: int.nullable(),
  application: z.string().nullable().describe('Application that made the request'),
  model: z.string(),
  endpoint: z.string(),
  provider: z.string().nullable(),
  prompt_tokens: int,
  completion_tokens: int,
  quota: int,
  saved_quota: int,
  stream: z.boolean(),
  duration_ms: int,
  parent_request_id: z.string().nullable(),
  error: z
    .object({ status: int, code: z.string(), message: z.string() })
    .nullable()
    .describe('Error returned to the caller if the request was not answered'),
  created_at: int.describe('When the request ended'),
};

/** A request as shown in a list. */
export const requestSchema = z.object(fields).meta({ id: 'Request' });

const upstreamSchema = z.object({ status: int.nullable(), message: z.string() });
export const wholeRequestSchema = z
  .object({
    ...fields,
    ...accountFields,
    channel_id: int.nullable(),
    upstream: upstreamSchema.nullable().describe('Error from the last provider tried'),
  })
  .meta({ id: 'RequestOfAnybody' });

type RequestView = z.infer<typeof requestSchema>;

const nothingUsed = { prompt_tokens: 0, completion_tokens: 0, quota: 0, saved_quota: 0, stream: false };

export function viewLine(line: Line, applications: KeyApplications): RequestView {
  if (line.side === 'failed') {
    const { status, code, message, id: _, ...failure } = viewFailure(line.failure);
    const application = applications.get(line.failure.key_id)?.name ?? null;
    return {
      ...{ ...failure, ...nothingUsed, application, provider: null },
      ...{ status: 'failed', error: { status, code, message } },
    };
  }
  const log = viewUsage(line.log, applications);
  const { request_id, user_id, token_id, application, model, endpoint, provider, prompt_tokens, completion_tokens } =
    log;
  const { quota, saved_quota, stream, duration_ms, parent_request_id, created_at } = log;
  return {
    ...{ request_id, user_id, token_id, application, model, endpoint, provider: provider || null },
    ...{ prompt_tokens, completion_tokens, quota, saved_quota, stream, duration_ms, parent_request_id, created_at },
    ...{ status: log.status as RequestView['status'], error: null },
  };
}

export function viewWholeLine(
  line: Line,
  applications: KeyApplications,
  accounts: ReadonlyMap<number, AccountNames>,
): z.infer<typeof wholeRequestSchema> {
  const { user_id, channel_id } = line.side === 'failed' ? line.failure : line.log;
  const named = {
    ...viewLine(line, applications),
    ...(accounts.get(user_id) ?? goneAccount),
    channel_id: channel_id || null,
  };
  if (line.side === 'answered') return { ...named, upstream: null };
  const { provider, upstream_status, upstream_message } = line.failure;
  const upstream = upstream_message === null ? null : { status: upstream_status, message: upstream_message };
  return { ...named, provider, upstream };
}

const detailFields = {
  request_id: z.string(),
  user_id: int,
  created_at: int,
  parent_request_id: z
    .string()
    .nullable()
    .describe('Id of the turn (`svc_ms_meta.request_id`), run, batch or response that made the request'),
  run_session_id: z.string().nullable().describe('Session of the run that this request is or belongs to'),
  logs: z.array(usageLogSchema).describe('Charges; empty if the request was not answered'),
  decisions: z.array(decisionSchema).describe('Providers tried, and why; newest first if there were several models'),
  content: z
    .object({
      prompt: z.array(z.object({ role: z.enum(['system', 'user', 'assistant']), text: z.string() })),
      answer: z.string().nullable().describe('Null if the request was not answered'),
      cut: z.boolean().describe('The content was longer than what is stored'),
    })
    .nullable()
    .describe('Prompt and answer, if the operator and the user allow storing them'),
  calls: z
    .object({ answered: int, failed: int, quota: int })
    .nullable()
    .describe(
      'Requests made by it, if it is a turn, a run or a batch; at most 10,000 answered and 1,000 failed ones are counted',
    ),
};

export const detailSchema = z
  .object({ ...detailFields, failure: failureSchema.nullable() })
  .meta({ id: 'RequestDetail' });

export const wholeDetailSchema = z
  .object({ ...detailFields, ...accountFields, failure: wholeFailureSchema.nullable() })
  .meta({ id: 'RequestDetailOfAnybody' });

/** Caller, time and parent, from whatever is known of it. */
function viewAbout(requestId: string, found: FoundRequest) {
  const { logs, failures, decisions, calls } = found;
  return {
    request_id: requestId,
    user_id: userOf(found),
    created_at: (logs[0] ?? failures[0] ?? decisions[0] ?? calls!.newest).created_at,
    parent_request_id: found.parentId,
    run_session_id: found.runSession,
  };
}

/** A decision names the caller; a charge names the payer. */
export const userOf = ({ logs, failures, decisions, calls }: FoundRequest): number =>
  (decisions[0] ?? failures[0] ?? logs[0] ?? calls!.newest).user_id;

function viewParts(requestId: string, found: FoundRequest, applications: KeyApplications) {
  return {
    ...viewAbout(requestId, found),
    logs: found.logs.map((log) => viewUsage(log, applications)),
    decisions: found.decisions.map(viewDecision),
    content: found.content,
    calls: found.calls && { answered: found.calls.answered, failed: found.calls.failed, quota: found.calls.quota },
  };
}

export const viewDetail = (requestId: string, found: FoundRequest, applications: KeyApplications) => ({
  ...viewParts(requestId, found, applications),
  failure: found.failures[0] ? viewFailure(found.failures[0]) : null,
});

export const viewWholeDetail = (
  requestId: string,
  found: FoundRequest,
  applications: KeyApplications,
  account: AccountNames | typeof goneAccount = goneAccount,
) => ({
  ...viewParts(requestId, found, applications),
  ...account,
  failure: found.failures[0] ? viewWholeFailure(found.failures[0]) : null,
});
