import { z } from 'zod';
import { answered, listed } from '../../platform/http/answers.ts';
import { idParams, idText, pageFields } from '../../platform/http/paging.ts';
import { definitionLimits } from '../definition.ts';
import { ownName } from '../front/own-server.ts';
import { mostTools } from '../listing.ts';
import { audiences, authKinds, offerings } from '../store/servers.ts';

const name = z
  .string()
  .regex(/^[a-z0-9-]{1,24}$/, 'must be 1-24 lower-case letters, digits and hyphens')
  .refine((text) => text !== ownName, `must not be ${ownName}, which is this service itself`)
  .describe('Begins the names of its tools: `name__tool`; it is served at `/mcp/name`. Stays as it is.');

const url = z
  .string()
  .max(2_000)
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http or https URL')
  .refine((text) => !text.includes('#'), 'must not hold a fragment')
  .transform((text) => new URL(text).href)
  .meta({ type: 'string', format: 'uri' });

/** Headers that the protocol or the connection sets itself. */
const reserved = /^(mcp-.*|host|accept|accept-encoding|content-.*|connection|transfer-encoding|te|upgrade|expect)$/;
const headerName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a header')
  .transform((text) => text.toLowerCase())
  .refine((text) => !reserved.test(text), 'must not be a header that the protocol itself uses');
const headerValue = z
  .string()
  .trim()
  .min(1)
  .max(4_000)
  .regex(/^[ -~]*$/, 'must be printable ASCII');
const headers = z
  .record(headerName, headerValue)
  .refine((given) => Object.keys(given).length <= 20, 'must be at most 20')
  .describe('Sent with every request to the server; stored encrypted and never shown again');

/** Characters allowed in both forms of client authentication at a token endpoint (RFC 6749 appendix A). */
const printable = z
  .string()
  .max(2_000)
  .regex(/^[ -~]*$/, 'must be printable ASCII');

/** Fits an RSA key of 16,384 bits. */
const mostKeyCharacters = 20_000;

const id = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const userIds = z.array(id).max(200);

const fields = {
  url,
  headers,
  enabled: z.boolean(),
  timeout_ms: z.number().int().min(1_000).max(600_000).describe('For one call, connecting included'),
  audience: z.enum(audiences).describe('Who may use its tools; `users`: those in user_ids'),
  user_ids: userIds,
  auth: z
    .enum(authKinds)
    .describe(
      '`headers` open it; each user signs in to it (`oauth`), see `/api/mcp/servers/{id}/authorize`; the company’s identity provider vouches for each user (`enterprise`); or the service signs in for itself and for all who may use it, as a client (`client_credentials`) or with a token of its platform (`jwt_bearer`)',
    ),
  client_id: printable.describe(
    'Of a client that was registered by hand with its authorization server; `client_credentials` and `enterprise` need one, `jwt_bearer` may have one, `oauth` where nobody registers themselves. Empty takes it away, its secret and key with it',
  ),
  client_secret: printable.describe('Of that client; stored encrypted and never shown again, empty for one without'),
  client_key: z
    .string()
    .max(mostKeyCharacters)
    .describe(
      'Of that client, in place of a secret: a private key, PEM or JSON Web Key, that signs who it is (`private_key_jwt`); stored encrypted and never shown again, empty for one without',
    ),
  assertion_file: z
    .string()
    .regex(/^([A-Za-z0-9_][A-Za-z0-9_.-]{0,99})?$/, 'must be the name of a file, without its directory')
    .describe(
      'Of the operator’s servers with `jwt_bearer`: the file in `MCP_ASSERTIONS_DIR` in which the platform keeps the token that is traded in',
    ),
  vouched_by: z
    .string()
    .regex(/^[a-z0-9-]{0,32}$/, 'must be the short name of an identity provider')
    .describe(
      'Of the operator’s servers with `enterprise`: the identity provider that vouches for users, by its `slug`',
    ),
  sign_in: z
    .enum(['each', 'shared'])
    .describe(
      'Of an organisation’s server with `oauth`: each member signs in, or one who runs it signs in for keys of its teams and for all who have not (`shared`), see `/api/mcp/servers/{id}/shared-sign-in`',
    ),
  calls_per_minute: z
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .describe('Calls of its tools in a minute, of all users together; 0 for no limit'),
  offers: z
    .array(z.enum(offerings))
    .max(offerings.length)
    .describe('What is passed on at `/mcp/name` besides tools; nothing by default'),
};
export const serverChange = z.strictObject(fields).partial();
export const serverCreate = serverChange.extend({
  name,
  url,
  organisation_id: id
    .optional()
    .describe(
      'For all who are in this organisation, which you run: its name is then `name_id`, such as `files_12`, and nobody else’s',
    ),
});

const definition = z.string().regex(/^[0-9a-f]{64}$/, 'must be the definition that a test showed');
/** At most the maximum balance. */
const price = z.number().int().min(0).max(1_000_000_000_000);
export const toolsChange = z.strictObject({
  tools: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(definitionLimits.nameCharacters),
        definition: definition.describe('Of the description and schema that are approved, as a test shows it'),
        ask_first: z.boolean().default(false).describe('A person is asked before each call'),
        price: price.optional().describe('Of each call, in quota units; stays as it is when absent'),
      }),
    )
    .max(mostTools)
    .refine((tools) => new Set(tools.map((tool) => tool.name)).size === tools.length, 'must name each tool once')
    .describe('All that are allowed; a tool that is not among them is not'),
});

export const toolApproval = z.strictObject({
  definition: definition.describe('Of the definition that is approved, as a test shows it'),
  ask_first: z.boolean().optional().describe('A person is asked before each call; stays as it is when absent'),
});

export const serversQuery = z.strictObject({
  ...pageFields,
  organisation_id: idText.optional().describe('Of this organisation alone'),
});

export const toolParams = idParams.extend({ name: z.string().min(1).max(definitionLimits.nameCharacters) });
export const approvalAnswer = z.strictObject({ approved: z.boolean() });

const schema = z.record(z.string(), z.unknown());
const signer = z
  .object({ id: z.int(), name: z.string().nullable().describe('Null for somebody who is gone') })
  .nullable()
  .describe('Who signed in to it for the organisation; null where nobody has');
export const serverView = z
  .object({
    id: z.int(),
    name: z.string(),
    url: z.string(),
    header_names: z.array(z.string()),
    enabled: z.boolean(),
    timeout_ms: z.int(),
    audience: z.enum(audiences),
    user_ids: z.array(z.int()),
    auth: z.enum(authKinds),
    offers: z.array(z.enum(offerings)),
    owner_id: z
      .int()
      .nullable()
      .describe('The user whose it is, who stands for the organisation of an organisation’s; null for the operator’s'),
    owner: z.object({
      type: z.enum(['operator', 'organisation', 'user']),
      id: z.int().nullable().describe('Of the organisation or the user'),
    }),
    calls_per_minute: z.int(),
    blocked: z.boolean().describe('Disabled by an administrator of the service, who alone can enable it'),
    client_id: z.string().describe('Empty where the service registers itself'),
    has_client_secret: z.boolean(),
    has_client_key: z.boolean(),
    assertion_file: z.string(),
    vouched_by: z.string(),
    ...{ sign_in: z.enum(['each', 'shared']), signed_in_by: signer },
    tools: z.array(
      z.object({
        ...{ name: z.string(), offered_as: z.string(), ask_first: z.boolean(), definition: z.string() },
        price: z.int(),
      }),
    ),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'McpServer' });

const further = schema.describe('Title, annotations and the schema of results, as far as there are any');
const approved = z.object({ description: z.string(), input_schema: schema, further, ask_first: z.boolean() });
const change = z.object({
  field: z.enum(['description', 'input_schema', 'further']),
  before: z.unknown(),
  after: z.unknown(),
});
export const testedTool = z
  .object({
    name: z.string(),
    offered_as: z.string(),
    state: z
      .enum(['new', 'approved', 'changed', 'missing'])
      .describe('`changed`: not offered until approved again; `missing`: allowed, and listed no more'),
    description: z.string(),
    input_schema: schema,
    further,
    definition: z.string(),
    problem: z.string().nullable().describe('Why it cannot be allowed'),
    approved: approved.nullable().describe('What is allowed, as it was approved'),
    changes: z.array(change).describe('What is not as it was approved; empty unless the state is `changed`'),
  })
  .meta({ id: 'McpTestedTool' });
export const testView = z.object({
  ok: z.boolean(),
  latency_ms: z.number(),
  error: z.string().optional(),
  server: z.object({ name: z.string(), version: z.string(), protocol: z.string() }).optional(),
  tools: z.array(testedTool),
  cut: z.boolean().describe('The server lists more than is read'),
});

const organisation = z.object({ id: z.int(), name: z.string() });

export const approvalView = z
  .object({
    id: z.int(),
    server: z.string(),
    tool: z.string(),
    arguments: schema,
    state: z.enum(['waiting', 'approved', 'refused']),
    created_at: z.int(),
    expires_at: z.int(),
    organisation: organisation
      .nullable()
      .describe('Of a call with a key of a team: whose it is. Owners and administrators answer'),
  })
  .meta({ id: 'McpApproval' });

export const toolNameParams = z.object({ name: z.string().min(1).max(64) });
export const handCall = z.strictObject({ arguments: z.record(z.string(), z.unknown()).default({}) });
const handAnswer = z.object({
  result: schema.nullable().describe('As the tool gave it'),
  error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).nullable(),
  duration_ms: z.int(),
});

export const connectionView = z
  .object({
    id: z.int().nullable().describe('Null for this service itself'),
    name: z.string(),
    address: z.string().describe('Where agents reach it'),
    enabled: z.boolean(),
    manageable: z.boolean().describe('Yours to change, under `/api/mcp/servers/{id}`'),
    own: z.boolean().describe('Connected by you, for you alone'),
    organisation: organisation.nullable().describe('For whose members it is; null for yours and the operator’s'),
    auth: z.enum(authKinds),
    signed_in: z.boolean().nullable().describe('Null where nobody has to sign in'),
    signed_in_by: signer,
    sign_in_through: z
      .object({ slug: z.string(), name: z.string() })
      .nullable()
      .describe('With `enterprise`: the provider to sign in to this service through, which vouches for you there'),
    tools: z
      .array(
        z.object({
          name: z.string(),
          offered_as: z.string(),
          description: z.string(),
          input_schema: schema,
          ask_first: z.boolean(),
          price: z.int().describe('Of each call, in quota units; 0 for none'),
        }),
      )
      .describe('Those that are allowed, as they were approved'),
  })
  .meta({ id: 'McpConnection' });
const connectionsView = z.object({
  address: z.string().describe('Of all of them together'),
  api_keys: z.boolean().describe('API keys open these addresses'),
  may_connect: z.boolean().describe('You may connect servers'),
  servers: z.array(connectionView),
});

const usable = z.object({ name: z.string(), description: z.string(), parameters: schema, ask_first: z.boolean() });
export const answers = {
  server: answered(serverView),
  servers: listed({ servers: z.array(serverView) }),
  test: answered(testView),
  tools: answered(z.object({ tools: z.array(usable) })),
  done: answered(z.object({ id: z.int() })),
  authorize: answered(z.object({ authorization_url: z.string() })),
  approval: answered(approvalView),
  connections: answered(connectionsView),
  handCall: answered(handAnswer),
  approvals: answered(z.object({ approvals: z.array(approvalView) })),
};
