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

/** Settings shared by all relay endpoints. */
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
  /** For the API reference; requests are parsed by hand, so that unknown fields are forwarded. */
  body: ZodType;
  answer: Answer | readonly Answer[];
  /** OpenAI's by default. */
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

/** A client that left reads no answer; it must not be logged as our failure. */
export async function whileClientStays(call: KeyCall, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClientLeft) return new Response(null, { status: 499, headers: call.headers });
    throw error;
  }
}

/** Response headers: who answered, and the cost. */
export function tell(call: Pick<Call, 'headers'>, answered: { candidate: Candidate; cost: number }): void {
  call.headers['x-svc-provider'] = answered.candidate.channel.provider;
  call.headers['x-svc-cost'] = `${answered.cost}`;
}
