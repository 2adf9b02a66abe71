import { z } from 'zod';
import { answered, listed } from '../../../platform/http/answers.ts';
import { shownName } from '../../../platform/http/shown-text.ts';
import { roles } from '../../user.ts';
import { providerKinds } from '../store/providers.ts';

export const slug = z
  .string()
  .regex(/^[a-z0-9-]{1,32}$/, 'must be 1-32 lower-case letters, digits and hyphens')
  .describe('Part of the address that the provider redirects browsers to. Cannot be changed later.');

/** An empty path equals `/`; elsewhere a trailing slash makes another issuer. */
const issuer = z
  .string()
  .max(1_000)
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http or https URL')
  .refine((text) => !/[?#]/.test(text), 'must not contain a query or fragment')
  .transform((text) => {
    const url = new URL(text);
    return url.pathname === '/' ? url.origin : url.href;
  })
  .meta({ type: 'string', format: 'uri' });

/** RFC 6749 appendix A.1, A.2; a space at an end was pasted along. */
const credential = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^(?:[!-~](?:[ -~]*[!-~])?)?$/, 'must be printable ASCII without a space at its start or end');

const domain = z
  .string()
  .max(253)
  .transform((text) => text.toLowerCase())
  .refine((text) => /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/.test(text), 'must be a domain such as example.com')
  .meta({ type: 'string' });

const role = z.union([z.literal(roles.user), z.literal(roles.administrator)]);

const fields = {
  name: shownName(64).describe('Shown on the button: “Continue with …”'),
  issuer: issuer.describe(
    "Address below which the provider's metadata document is read; for GitHub, the address of GitHub",
  ),
  client_id: credential(300).min(1),
  client_secret: credential(2_000).describe('Stored encrypted and never shown again; empty for a client without one'),
  scopes: z
    .string()
    .max(500)
    .regex(/^[!#-[\]-~]+( [!#-[\]-~]+)*$/, 'must be scopes separated by spaces'),
  enabled: z.boolean(),
  allow_sign_up: z.boolean().describe('Create an account for people who do not have one'),
  trust_email: z.boolean().describe("Trust the provider's statement that an email address is verified"),
  email_domains: z
    .array(domain)
    .max(100)
    .describe('Allow only verified email addresses of these domains; empty allows everyone'),
  role_claim: z.string().max(200).describe('Claim that lists groups, or a path to it, such as realm_access.roles'),
  role_map: z
    .record(z.string().min(1).max(200), role)
    .refine((map) => Object.keys(map).length <= 200, 'must have at most 200 entries')
    .describe('Group → role (1 user, 10 administrator), applied at every sign-in; empty leaves roles unchanged'),
  vouches: z
    .boolean()
    .describe(
      'Whether the provider vouches for its users at MCP servers with `auth: "enterprise"`. The ID token and refresh token of each sign-in are stored encrypted for this, and deleted when it is turned off',
    ),
};
export const providerChange = z.strictObject(fields).partial();
export const providerCreate = providerChange.extend({
  slug,
  kind: z.enum(providerKinds).optional(),
  name: fields.name,
  issuer: fields.issuer,
  client_id: fields.client_id,
});

export const providerParams = z.object({ provider: slug });

export const providerView = z
  .object({
    id: z.int(),
    slug: z.string(),
    name: z.string(),
    kind: z.enum(providerKinds),
    issuer: z.string(),
    client_id: z.string(),
    has_secret: z.boolean(),
    scopes: z.string(),
    enabled: z.boolean(),
    allow_sign_up: z.boolean(),
    trust_email: z.boolean(),
    email_domains: z.array(z.string()),
    role_claim: z.string(),
    role_map: z.record(z.string(), z.int()),
    vouches: z.boolean(),
    callback_url: z.string().describe('Address to register with the provider'),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'IdentityProvider' });

const testView = z.object({
  ok: z.boolean(),
  latency_ms: z.number(),
  error: z.string().optional(),
  authorization_endpoint: z.string().optional(),
  token_endpoint: z.string().optional(),
  userinfo_endpoint: z.string().optional(),
});

const way = z.object({ slug: z.string(), name: z.string() });
const identityView = z
  .object({
    id: z.int(),
    provider: way,
    label: z.string(),
    created_at: z.int(),
    last_used_at: z.int(),
    vouches: z
      .boolean()
      .describe('Tokens of the last sign-in are stored, so that the provider can vouch for the user at MCP servers'),
  })
  .meta({ id: 'LinkedAccount' });

/** Our tokens are shorter; anything else does not exist. */
export const linkToken = z.string().min(1).max(100);
export const returnTo = z.string().max(2_000).describe('Page of this service to return to');
export const password = z.string().min(1).max(1_000);

export const answers = {
  provider: answered(providerView),
  providers: listed({ providers: z.array(providerView) }),
  test: answered(testView),
  done: answered(z.object({ id: z.int() })),
  ways: answered(z.object({ providers: z.array(way) })),
  sentOn: { description: 'The browser is redirected to `Location`' },
  link: answered(
    z.object({
      provider: way,
      account: z.string(),
      username: z.string(),
      has_password: z.boolean(),
      second_factor: z.boolean().describe('The account has a second factor, so its password alone cannot connect it'),
      logged_in: z.boolean(),
      return_to: z.string().describe('Page the person was going to'),
      other_ways: z.array(way),
    }),
  ),
  linked: answered(z.object({ return_to: z.string() })),
  identities: answered(z.object({ has_password: z.boolean(), identities: z.array(identityView) })),
  begun: answered(z.object({ url: z.string() })),
};
