import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from '@asteasolutions/zod-to-openapi';
import { type ZodType, z } from 'zod';
import type { ErrorFormat } from '../../lib/error-shapes.ts';
import { table } from '../../lib/table.ts';
import { corrected } from './openapi-corrections.ts';
import { mayBeLeftOut } from './parse.ts';
import type { Answer, Route } from './route.ts';

const errorSchemas: Record<ErrorFormat, ZodType> = {
  management: z.object({ success: z.literal(false), message: z.string() }).meta({ id: 'Error' }),
  oauth: z
    .object({ success: z.literal(false), message: z.string(), error: z.string(), error_description: z.string() })
    .meta({ id: 'OAuthError' }),
  openai: z
    .object({
      error: z.object({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string() }),
    })
    .meta({ id: 'RelayError' }),
  anthropic: z
    .object({
      type: z.literal('error'),
      error: z.object({ type: z.string(), message: z.string() }),
      request_id: z.string(),
    })
    .meta({ id: 'MessagesError' }),
  google: z
    .object({ error: z.object({ code: z.number().int(), message: z.string(), status: z.string() }) })
    .meta({ id: 'GoogleError' }),
  cohere: z.object({ message: z.string() }).meta({ id: 'CohereError' }),
  video: z.object({ error: z.object({ code: z.number().int(), message: z.string() }) }).meta({ id: 'VideoError' }),
  mcp: z
    .object({
      jsonrpc: z.literal('2.0'),
      id: z.union([z.string(), z.number(), z.null()]),
      error: z.object({ code: z.number().int(), message: z.string() }),
    })
    .meta({ id: 'JsonRpcError' }),
  scim: z
    .object({ schemas: z.array(z.string()), status: z.string(), scimType: z.string().optional(), detail: z.string() })
    .meta({ id: 'ScimError' }),
};

/** Security schemes per kind of authentication, where the names differ. */
const security = table<Record<string, string[]>[]>({
  none: [],
  admin: [{ session: [] }],
  bearer: [{ oauth: [] }],
  postedBearer: [{ oauth: [] }],
  keyOrSession: [{ apiKey: [] }, { session: [] }],
  modelsOrSession: [{ apiKey: [] }, { session: [] }],
  googleKey: [{ apiKey: [] }, { googleKey: [] }],
  socketKey: [{ apiKey: [] }],
  mcp: [{ apiKey: [] }, { oauth: [] }],
  mcpOwner: [{ session: [] }],
});

const isSchema = (answer: Answer): answer is ZodType => 'safeParse' in answer;

/** SCIM has its own (RFC 7644 §3.1). */
const jsonTypeOf = ({ errors }: Route): string => (errors === 'scim' ? 'application/scim+json' : 'application/json');

type Content = Record<string, { schema: ZodType }>;

function responseOf(answers: readonly Answer[], jsonType: string, otherwise: Content) {
  const content = { ...otherwise };
  for (const answer of answers) {
    if (isSchema(answer)) content[jsonType] = { schema: answer };
    else if (answer.type !== undefined) content[answer.type] = { schema: z.string() };
  }
  const told = new Set(answers.flatMap((answer) => (isSchema(answer) ? [] : answer.description)));
  const description = told.size > 0 ? [...told].join('. ') : 'Success';
  return { description, ...(Object.keys(content).length > 0 && { content }) };
}

const onceHeaders = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().meta({
    description: 'If the same request is repeated with this key within 24 hours, the first response is returned again',
  }),
});

const jsonTypes = ['application/json'];
const formTypes = ['application/x-www-form-urlencoded', 'application/json'];

function describeRoute(route: Route): RouteConfig {
  const media = route.bodyTypes ?? (route.bodyAs === 'form' ? formTypes : jsonTypes);
  const jsonType = jsonTypeOf(route);
  const page = route.visited && { 'text/html': { schema: z.string() } };
  const error = { description: 'Error', content: { [jsonType]: { schema: errorSchemas[route.errors] }, ...page } };
  const path = route.path.replace(/\{(\w+)\+\}/g, '{$1}');
  return {
    method: route.method,
    path,
    summary: route.summary,
    tags: [route.tag],
    security: security[route.auth as string] ?? [{ [route.auth as string]: [] }],
    request: {
      ...(route.params && { params: route.params }),
      ...(route.query && { query: route.query }),
      ...(route.idempotent && { headers: onceHeaders }),
      ...(route.body && {
        body: {
          required: !mayBeLeftOut(route),
          content: Object.fromEntries(media.map((type) => [type, { schema: route.body! }])),
        },
      }),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, answer]) => [
          status,
          responseOf([answer].flat(), jsonType, Number(status) < 400 ? {} : error.content),
        ]),
      ),
      default: error,
    },
  };
}

/** Security schemes of the document. */
const securitySchemes = {
  session: { type: 'apiKey', in: 'cookie', name: 'svc_session' },
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, sk-…' },
  googleKey: { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
  oauth: { type: 'http', scheme: 'bearer', description: 'An OAuth access token, svcat_…' },
  scim: { type: 'http', scheme: 'bearer', description: 'SCIM token of an organisation’s directory, svcscim_…' },
  client: { type: 'http', scheme: 'basic', description: 'OAuth client id and secret' },
} as const;

/** The OpenAPI document of these routes. */
export function documentOf(routes: Route[], baseUrl: string): unknown {
  const registry = new OpenAPIRegistry();
  for (const [name, scheme] of Object.entries(securitySchemes))
    registry.registerComponent('securitySchemes', name, scheme);
  // CORS preflights are not part of the API.
  for (const route of routes) if (route.method !== 'options') registry.registerPath(describeRoute(route));
  return corrected(
    new OpenApiGeneratorV31(registry.definitions).generateDocument({
      openapi: '3.1.0',
      info: { title: 'svc', version: '1.0', description: 'OAuth 2.0 authorization server and AI gateway.' },
      servers: [{ url: baseUrl }],
    }),
  );
}
