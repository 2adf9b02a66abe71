import type { ZodType } from 'zod';
import type { ErrorFormat } from '../../lib/error-shapes.ts';
import { type Answer, type Call, defineRoute, type Route } from '../../platform/http/route.ts';
import type { Candidate } from '../../routing/candidate.ts';
import { parseOverride } from '../../routing/override.ts';
import type { RequestContext } from '../deps.ts';
import { contextOf, type KeyCall } from '../request-context.ts';
import { ClientLeft } from '../try-candidates.ts';
import type { Json } from '../wire/conversation.ts';
import { readJsonBody } from './read-body.ts';

/** What all endpoints of the relay say about themselves. */
export const relayRoute = {
  tag: 'Relay',
  auth: 'apiKey',
  limit: { option: 'RateLimitV1', by: 'principal' },
  errors: 'openai',
  bodyAs: 'raw',
} as const;

interface JsonEndpoint {
  path: string;
  summary: string;
  /** For the reference page; requests are read by hand, so that what is not known passes through. */
  body: ZodType;
  answer: Answer;
  /** OpenAI's, unless it stands at another vendor's address. */
  errors?: ErrorFormat;
  respond(context: RequestContext, body: Json, call: Call<'apiKey'>): Promise<Response>;
}

export const jsonEndpoint = ({ path, summary, body, answer, errors, respond }: JsonEndpoint): Route =>
  defineRoute({
    ...relayRoute,
    ...(errors && { errors }),
    method: 'post',
    path,
    summary,
    body,
    answers: { 200: answer },
    handle: (call) =>
      whileClientStays(call, async () => {
        const { provider, svc_ms: _, ...given } = await readJsonBody(call);
        return respond(contextOf(call, path, parseOverride(provider)), given, call);
      }),
  });

/** Nobody reads what is answered to a client that left; it must not be logged as a failure of ours. */
export async function whileClientStays(call: KeyCall, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClientLeft) return new Response(null, { status: 499, headers: call.headers });
    throw error;
  }
}

/** Tells the caller who answered and what it cost. */
export function tell(call: Pick<Call, 'headers'>, answered: { candidate: Candidate; cost: number }): void {
  call.headers['x-svc-provider'] = answered.candidate.channel.provider;
  call.headers['x-svc-cost'] = `${answered.cost}`;
}
