import { z } from 'zod';
import { answered, listed } from '../../platform/http/answers.ts';
import { idParams, idText, pageFields } from '../../platform/http/paging.ts';
import { definitionLimits } from '../definition.ts';
import { ownName } from '../front/own-server.ts';
import { mostTools } from '../listing.ts';
import { audiences, authKinds, offerings } from '../store/servers.ts';
import { approvalView, organisation } from './approval-view.ts';

const name = z
  .string()
  .regex(/^[a-z0-9-]{1,24}$/, 'must be 1-24 lowercase letters, digits and hyphens')
  .refine((text) => text !== ownName, `must not be ${ownName}, the name of this service`)
  .describe('Prefix of its tool names (`name__tool`) and its path (`/mcp/name`). Cannot be changed later.');

const url = z
  .string()
  .max(2_000)
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http or https URL')
  .refine((text) => !text.includes('#'), 'must not contain a fragment')
  .transform((text) => new URL(text).href)
  .meta({ type: 'string', format: 'uri' });

/** Headers that the protocol or the connection sets itself. */
const reserved = /^(mcp-.*|host|accept|accept-encoding|content-.*|connection|transfer-encoding|te|upgrade|expect)$/;
const headerName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be a header name')
  .transform((text) => text.toLowerCase())
  .refine((text) => !reserved.test(text), 'must not be a header used by the protocol');
const headerValue = z
  .string()
  .trim()
  .min(1)
  .max(4_000)
  .regex(/^[ -~]*$/, 'must be printable ASCII');
const headers = z
  .record(headerName, headerValue)
  .refine((given) => Object.keys(given).length <= 20, 'must have at most 20 entries')
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
  timeout_ms: z.number().int().min(1_000).max(600_000).describe('Timeout per call, including connecting'),
  audience: z.enum(audiences).describe('Who may use its tools; `users`: those in user_ids'),
  user_ids: userIds,
  auth: z
    .enum(authKinds)
    .describe(
      'How calls are authenticated. `headers`: with the headers above. `oauth`: each user signs in, see `/api/mcp/servers/{id}/authorize`. `enterprise`: the company’s identity provider vouches for each user. `client_credentials` or `jwt_bearer`: the service signs in once for itself and everyone who may use the server, as a client or with a token of its platform',
    ),
  client_id: printable.describe(
    'ID of a client registered manually with the server’s authorization server; required for `client_credentials` and `enterprise`, optional for `jwt_bearer`, and needed for `oauth` if clients cannot register themselves. An empty value removes the client with its secret and key',
  ),
  client_secret: printable.describe(
    'Secret of that client; stored encrypted and never shown again, empty if it has none',
  ),
  client_key: z
    .string()
    .max(mostKeyCharacters)
    .describe(
      'Private key of that client instead of a secret, as PEM or JSON Web Key, for `private_key_jwt`; stored encrypted and never shown again, empty if it has none',
    ),
  assertion_file: z
    .string()
    .regex(/^([A-Za-z0-9_][A-Za-z0-9_.-]{0,99})?$/, 'must be a file name without a directory')
    .describe(
      'For the operator’s servers with `jwt_bearer`: file in `MCP_ASSERTIONS_DIR` where the platform stores the token to exchange',
    ),
  vouched_by: z
    .string()
    .regex(/^[a-z0-9-]{0,32}$/, 'must be the short name of an identity provider')
    .describe('For the operator’s servers with `enterprise`: `slug` of the identity provider that vouches for users'),
  sign_in: z
    .enum(['each', 'shared'])
    .describe(
      'For an organisation’s server with `oauth`: each member signs in, or a manager signs in for team keys and for all members who have not (`shared`), see `/api/mcp/servers/{id}/shared-sign-in`',
    ),
  calls_per_minute: z
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .describe('Maximum tool calls per minute across all users; 0 for no limit'),
  offers: z
    .array(z.enum(offerings))
    .max(offerings.length)
    .describe('What `/mcp/name` forwards besides tools; nothing by default'),
};
export const serverChange = z.strictObject(fields).partial();
export const serverCreate = serverChange.extend({
  name,
  url,
  organisation_id: id
    .optional()
    .describe(
      'Connects the server for all members of this organisation, which you manage; its name becomes `name_id`, such as `files_12`, and is unique',
    ),
});

const definition = z.string().regex(/^[0-9a-f]{64}$/, 'must be the definition returned by a test');
/** At most the maximum balance. */
const price = z.number().int().min(0).max(1_000_000_000_000);
export const toolsChange = z.strictObject({
  tools: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(definitionLimits.nameCharacters),
        definition: definition.describe('Fingerprint of the approved description and schema, as returned by a test'),
        ask_first: z.boolean().default(false).describe('Whether a person must approve each call'),
        price: price.optional().describe('Price per call in quota units; unchanged if omitted'),
      }),
    )
    .max(mostTools)
    .refine((tools) => new Set(tools.map((tool) => tool.name)).size === tools.length, 'must list each tool only once')
    .describe('Complete list of allowed tools; tools not listed are not allowed'),
});

export const toolApproval = z.strictObject({
  definition: definition.describe('Fingerprint of the approved definition, as returned by a test'),
  ask_first: z.boolean().optional().describe('Whether a person must approve each call; unchanged if omitted'),
});

export const serversQuery = z.strictObject({
  ...pageFields,
  organisation_id: idText.optional().describe('Only servers of this organisation'),
});

export const toolParams = idParams.extend({ name: z.string().min(1).max(definitionLimits.nameCharacters) });
export const approvalAnswer = z.strictObject({ approved: z.boolean() });

const schema = z.record(z.string(), z.unknown());
const signer = z
  .object({ id: z.int(), name: z.string().nullable().describe('Null if the user was deleted') })
  .nullable()
  .describe('Who signed in for the organisation; null if no one has');
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
      .describe(
        'User who owns the server, or who represents the organisation that owns it; null for the operator’s servers',
      ),
    owner: z.object({
      type: z.enum(['operator', 'organisation', 'user']),
      id: z.int().nullable().describe('ID of the organisation or user'),
    }),
    calls_per_minute: z.int(),
    blocked: z
      .boolean()
      .describe('Whether an administrator of the service disabled it; only an administrator can enable it then'),
    client_id: z.string().describe('Empty if the service registers itself'),
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

const further = schema.describe('Title, annotations and result schema, if present');
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
      .describe('`changed`: not offered until approved again; `missing`: allowed, but no longer listed by the server'),
    description: z.string(),
    input_schema: schema,
    further,
    definition: z.string(),
    problem: z.string().nullable().describe('Why it cannot be allowed'),
    approved: approved.nullable().describe('Approved definition'),
    changes: z.array(change).describe('Differences from the approved definition; empty unless the state is `changed`'),
  })
  .meta({ id: 'McpTestedTool' });
export const testView = z.object({
  ok: z.boolean(),
  latency_ms: z.number(),
  error: z.string().optional(),
  server: z.object({ name: z.string(), version: z.string(), protocol: z.string() }).optional(),
  tools: z.array(testedTool),
  cut: z.boolean().describe('Whether the server lists more than was read'),
});

export const toolNameParams = z.object({ name: z.string().min(1).max(64) });
export const handCall = z.strictObject({ arguments: z.record(z.string(), z.unknown()).default({}) });
const handAnswer = z.object({
  result: schema.nullable().describe('Result as returned by the tool'),
  error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).nullable(),
  duration_ms: z.int(),
});

export const connectionView = z
  .object({
    id: z.int().nullable().describe('Null for the built-in tools of this service'),
    name: z.string(),
    address: z.string().describe('URL for agents'),
    enabled: z.boolean(),
    manageable: z.boolean().describe('Whether you can change it at `/api/mcp/servers/{id}`'),
    own: z.boolean().describe('Whether you connected it for yourself only'),
    organisation: organisation
      .nullable()
      .describe('Organisation whose members can use it; null for your own and the operator’s'),
    auth: z.enum(authKinds),
    signed_in: z.boolean().nullable().describe('Null if no sign-in is required'),
    signed_in_by: signer,
    sign_in_through: z
      .object({ slug: z.string(), name: z.string() })
      .nullable()
      .describe('For `enterprise`: identity provider to sign in to this service with, which vouches for you'),
    tools: z
      .array(
        z.object({
          name: z.string(),
          offered_as: z.string(),
          description: z.string(),
          input_schema: schema,
          ask_first: z.boolean(),
          price: z.int().describe('Price per call in quota units; 0 if free'),
        }),
      )
      .describe('Allowed tools as approved'),
  })
  .meta({ id: 'McpConnection' });
const connectionsView = z.object({
  address: z.string().describe('URL that serves all of them together'),
  api_keys: z.boolean().describe('Whether API keys can be used with these URLs'),
  may_connect: z.boolean().describe('Whether you may connect servers'),
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
