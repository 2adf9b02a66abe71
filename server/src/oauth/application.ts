import { z } from 'zod';
import type { Origin } from '../identity/audit/log.ts';
import type { Options } from '../identity/options.ts';
import { changesOf, Secret, type State } from '../lib/changes.ts';
import { shownName, shownText } from '../platform/http/shown-text.ts';
import { redirectUris, webUrl } from './address-fields.ts';
import type { Audit, AuditEvent } from './audit.ts';
import { openidFields, openidSchema, openidState, openidView } from './openid/application.ts';
import type { ApplicationRow } from './store/tables.ts';

/** Calls per hour of a new application. */
export const defaultRateLimit = 1000;

const fields = {
  name: shownName(64),
  description: shownText(500),
  homepage_url: webUrl,
  logo_url: webUrl,
  redirect_uris: redirectUris.refine((list) => list.length > 0, 'must contain at least one address'),
  scopes: z.string().min(1, 'must not be empty').max(256, 'must have at most 256 characters'),
  app_type: z.enum(['confidential', 'public']),
  webhook_url: webUrl,
};

export const newApplicationSchema = z.object({
  ...fields,
  description: fields.description.default(''),
  homepage_url: fields.homepage_url.default(''),
  logo_url: fields.logo_url.default(''),
  app_type: fields.app_type.default('confidential'),
  webhook_url: fields.webhook_url.default(''),
  ...z.object(openidFields).partial().shape,
});
export type NewApplication = z.infer<typeof newApplicationSchema>;

/** Other fields (`status`, `is_verified`, `owner_id` …) are dropped by the schema: owners may not set them. */
export const applicationChangeSchema = z.object({ ...fields, ...openidFields }).partial();
export type ApplicationInput = z.infer<typeof applicationChangeSchema>;

export const applicationSchema = z
  .object({
    id: z.number().int(),
    name: z.string(),
    description: z.string(),
    homepage_url: z.string(),
    logo_url: z.string(),
    client_id: z.string(),
    redirect_uris: z.string().meta({ description: 'JSON array, as text' }),
    allowed_scopes: z.string(),
    app_type: z.string(),
    status: z.number().int(),
    is_verified: z.boolean(),
    verified_by: z.number().int().nullable(),
    verified_at: z.number().int().nullable(),
    webhook_url: z.string(),
    rate_limit: z.number().int(),
    created_at: z.number().int(),
    updated_at: z.number().int(),
    // If OpenID Connect is enabled.
    ...openidSchema.shape,
  })
  .meta({ id: 'OAuthApplication' });
export type ApplicationView = z.infer<typeof applicationSchema>;

/** The public form, with OpenID Connect's fields if it is enabled; otherwise only `send_iss`, which always applies. */
export const viewIn =
  ({ options }: { options: Options }) =>
  (row: ApplicationRow): ApplicationView => ({
    ...applicationView(row),
    ...(options.get('OAuth2OpenIDConnect') ? openidView(row) : row.send_iss === 0 && { send_iss: false }),
  });

const applicationView = (row: ApplicationRow): ApplicationView => ({
  id: row.id,
  name: row.name,
  description: row.description,
  homepage_url: row.homepage_url,
  logo_url: row.logo_url,
  client_id: row.client_id,
  redirect_uris: row.redirect_uris,
  allowed_scopes: row.allowed_scopes,
  app_type: row.app_type,
  status: row.status,
  is_verified: row.is_verified === 1,
  verified_by: row.verified_by,
  verified_at: row.verified_at,
  webhook_url: row.webhook_url,
  rate_limit: row.rate_limit,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

const stateOf = (row: ApplicationRow): State => ({
  name: row.name,
  description: row.description,
  homepage_url: row.homepage_url,
  logo_url: row.logo_url,
  redirect_uris: JSON.parse(row.redirect_uris),
  scopes: row.allowed_scopes,
  app_type: row.app_type,
  status: row.status,
  is_verified: row.is_verified === 1,
  webhook_url: row.webhook_url,
  rate_limit: row.rate_limit,
  client_secret: new Secret(row.secret_hash),
  webhook_secret: new Secret(row.webhook_secret),
  ...openidState(row),
});

interface ApplicationEvent {
  /** Absent for a new application. */
  before?: ApplicationRow;
  /** Absent for a deleted one. */
  after?: ApplicationRow;
  metadata?: Record<string, unknown>;
}

/** Writes to the audit log who changed an application, and how. */
export function recordApplication(
  { audit }: { audit: Pick<Audit, 'record'> },
  event: AuditEvent,
  { userId, origin }: { userId: number | null; origin: Origin },
  { before, after, metadata = {} }: ApplicationEvent,
): void {
  const changes = changesOf(before ? stateOf(before) : null, after ? stateOf(after) : null);
  audit.record(event, origin, { application_id: (after ?? before)!.id, user_id: userId, metadata, ...changes });
}
