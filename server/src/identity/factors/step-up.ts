import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { SessionPrincipal } from '../principals.ts';
import { factorAtOf } from '../store/sessions.ts';
import type { User } from '../user.ts';
import type { FactorDeps } from './deps.ts';
import { methodsOf } from './second-factor.ts';

/** How long a proof counts: an unlocked screen is usually found later. */
const freshSeconds = 600;

/**
 * Routes that move money, grant rights, reveal or change secrets, or export data: users with a second factor must have
 * proven it recently. This list is the only place where the rule is applied.
 */
export const steppedUp: ReadonlySet<string> = new Set([
  'DELETE /api/user/totp',
  'DELETE /api/user/passkeys/{id}',
  'POST /api/user/recovery-codes',
  'GET /api/user/self/export',
  'DELETE /api/user/self',
  'POST /api/user/identities',
  'DELETE /api/user/identities/{id}',
  'POST /api/user/spending/webhook-secret',
  'POST /api/tokens',
  'POST /api/tokens/{id}/rotate',
  'POST /api/organisations/{id}/keys',
  'POST /api/organisations/{id}/keys/{key_id}/rotate',
  'POST /api/organisations/{id}/webhook-secret',
  'POST /api/organisations/{id}/scim/tokens',
  'DELETE /api/organisations/{id}/scim/tokens/{scim_token_id}',
  'PUT /api/organisations/{id}/members/{user_id}',
  'POST /api/organisations/{id}/invitations',
  'PUT /api/organisations/{id}',
  'DELETE /api/organisations/{id}',
  'PUT /api/oauth2/applications/{app_id}',
  'PUT /api/oauth2/applications/{app_id}/owner',
  'DELETE /api/oauth2/applications/{app_id}',
  'POST /api/oauth2/applications/{app_id}/rotate-secret',
  'GET /api/oauth2/applications/{app_id}/webhook-secret',
  'POST /api/oauth2/applications/{app_id}/webhook-secret',
  'GET /v1/videos/callback-secret',
  'POST /v1/videos/callback-secret/rotate',
  'PUT /api/oauth2/consents/{application_id}',
  'POST /api/admin/users/{id}/credits',
  'PUT /api/admin/users/{id}',
  'DELETE /api/admin/users/{id}',
  'DELETE /api/admin/users/{id}/factors',
  'POST /api/admin/users/{id}/links',
  'POST /api/admin/invitations',
  'POST /api/admin/channels',
  'PUT /api/admin/channels/{id}',
  'DELETE /api/admin/channels/{id}',
  'POST /api/admin/channels/{id}/credentials',
  'PUT /api/admin/channels/{id}/credentials/{credential_id}',
  'DELETE /api/admin/channels/{id}/credentials/{credential_id}',
  'PUT /api/admin/options',
  'POST /api/admin/redemption-codes',
  // A price decides what everybody pays.
  'POST /api/admin/provider-models',
  'PUT /api/admin/provider-models/{id}',
  'PUT /api/admin/channels/{id}/models',
  'POST /api/admin/identity-providers',
  'PUT /api/admin/identity-providers/{id}',
  'DELETE /api/admin/identity-providers/{id}',
  'POST /api/oauth2/admin/signing-keys/rotate',
  'POST /api/oauth2/admin/applications/verify',
  'POST /api/oauth2/admin/applications/activate',
  // The owner of a provider account can read what is asked with its key.
  'POST /api/routing/own-keys',
  'PUT /api/routing/own-keys/{id}',
  'POST /api/organisations/{id}/teams/{team_id}/own-keys',
  'PUT /api/organisations/{id}/teams/{team_id}/own-keys/{key_id}',
  'POST /api/mcp/servers',
  'PUT /api/mcp/servers/{id}',
  'PUT /api/mcp/servers/{id}/tools',
  'POST /api/mcp/servers/{id}/tools/{name}/approve',
]);

export type Asked = Pick<SessionPrincipal, 'user' | 'sessionId'>;
type Require = (asked: Asked) => Promise<void>;

/** The condition of a route by name; calls with a key have no session, and need none. */
export const stepUpOf =
  (require: Require) =>
  (name: string): ((call: { principal: unknown }) => Promise<void>) | undefined =>
    steppedUp.has(name)
      ? async ({ principal }) => {
          if (principal && typeof principal === 'object' && 'sessionId' in principal) await require(principal as Asked);
        }
      : undefined;

/** Sessions only: a key is a secret itself, and has no factor. */
export async function requireRecentFactor(
  deps: Pick<FactorDeps, 'db' | 'clock'>,
  { user, sessionId }: { user: Pick<User, 'id'>; sessionId: number },
): Promise<void> {
  const methods = await methodsOf(deps.db, user.id);
  if (methods.length === 0) return;
  const at = await factorAtOf(deps.db, sessionId);
  if (at !== null && Math.abs(nowSeconds(deps.clock) - at) < freshSeconds) return;
  throw new AppError('step_up_required', 'Confirm your identity with your second factor.', {
    body: { code: 'step_up_required', methods },
  });
}
