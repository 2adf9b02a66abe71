import { type RouteConfig, z } from '@hono/zod-openapi';
import type { ZodType } from 'zod';
import type { Answer, ErrorFormat, Route } from './route.ts';

const errorSchemas: Record<ErrorFormat, ZodType> = {
  management: z.object({ success: z.literal(false), message: z.string() }).openapi('Error'),
  oauth: z
    .object({ success: z.literal(false), message: z.string(), error: z.string(), error_description: z.string() })
    .openapi('OAuthError'),
  openai: z
    .object({
      error: z.object({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string() }),
    })
    .openapi('RelayError'),
  anthropic: z
    .object({
      type: z.literal('error'),
      error: z.object({ type: z.string(), message: z.string() }),
      request_id: z.string(),
    })
    .openapi('MessagesError'),
  video: z.object({ error: z.object({ code: z.number().int(), message: z.string() }) }).openapi('VideoError'),
};

/** Which credential opens a route, for the reference page; rooms with their own kinds are described by name. */
const security: Record<string, Record<string, string[]>[]> = {
  none: [],
  session: [{ session: [] }],
  admin: [{ session: [] }],
  apiKey: [{ apiKey: [] }],
  bearer: [{ oauth: [] }],
  keyOrSession: [{ apiKey: [] }, { session: [] }],
};

/** 204 has no body (RFC 9110 §15.3.5), so there is nothing to describe. */
const contentOf = (status: string, answer: Answer) => {
  if (status === '204') return { description: 'Nothing to say' };
  return 'description' in answer && 'type' in answer && typeof answer.type === 'string' && !('safeParse' in answer)
    ? { description: answer.description, content: { [answer.type]: { schema: z.string() } } }
    : { description: 'Success', content: { 'application/json': { schema: answer as ZodType } } };
};

const jsonTypes = ['application/json'];
const formTypes = ['application/x-www-form-urlencoded', 'application/json'];

export function describeRoute(route: Route): RouteConfig {
  const media = route.bodyTypes ?? (route.bodyAs === 'form' ? formTypes : jsonTypes);
  const error = { description: 'Error', content: { 'application/json': { schema: errorSchemas[route.errors] } } };
  const path = route.path.replace(/\{(\w+)\+\}/g, '{$1}');
  return {
    method: route.method,
    path,
    summary: route.summary,
    tags: [route.tag],
    security: security[route.auth as string] ?? [{ [route.auth as string]: [] }],
    request: {
      // The library wants an object's schema; that a route's is one, its table of routes has forgotten.
      ...(route.params && { params: route.params as never }),
      ...(route.query && { query: route.query as never }),
      ...(route.body && {
        body: { required: true, content: Object.fromEntries(media.map((type) => [type, { schema: route.body! }])) },
      }),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, answer]) => [status, contentOf(status, answer)]),
      ),
      default: error,
    },
  };
}

/** The credentials the document names. */
export const securitySchemes = {
  session: { type: 'apiKey', in: 'cookie', name: 'svc_session' },
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, sk-…' },
  oauth: { type: 'http', scheme: 'bearer', description: 'An OAuth access token, svcat_…' },
  client: { type: 'http', scheme: 'basic', description: 'OAuth client id and secret' },
} as const;
