import { statuses } from '../../identity/user.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import type { ClientCredentials } from '../client-auth.ts';
import { isDeviceCode } from '../device/codes.ts';
import { idTokenFor } from '../openid/id-token.ts';
import { narrowedResource } from '../resource-indicators.ts';
import { allowedNow, operatorScopes, within } from '../scopes.ts';
import { clientWithDeviceCode, type PresentedDeviceCode, tooSoon } from '../store/device-codes.ts';
import { authenticate, type GrantDeps, type Issued, invalidGrant, issuePair, requireProof } from './grant.ts';

export interface DeviceExchange {
  credentials: ClientCredentials;
  deviceCode: string;
  /** The key the client proved possession of. */
  proofKey: string | null;
  /** Resources to narrow to. */
  resources: string[];
}

/** RFC 8628 §3.4: the device polls until the user has answered, and then gets its tokens, once. */
export async function exchangeDeviceCode(deps: GrantDeps, request: DeviceExchange): Promise<Issued> {
  const { db, options } = deps;
  const { credentials, deviceCode, proofKey } = request;
  const found = await clientWithDeviceCode(db, credentials.clientId, sha256Hex(deviceCode));
  const client = authenticate(found?.client ?? null, credentials);
  requireProof(deps, client, proofKey);
  const code = found?.code ?? null;
  if (!isDeviceCode(deviceCode) || !code || code.application_id !== client.id || code.epoch !== client.epoch)
    throw invalidGrant('The device code is not valid for this client.');
  // Nothing is revoked, unlike for authorization codes: only the device has had this one.
  if (code.used_at !== null) throw usedBefore();
  const userId = await answeredBy(deps, code);
  if (found?.user_status !== statuses.enabled) throw invalidGrant('The user who approved this request is disabled.');
  const scopes = within(code.scope, allowedNow(client.allowed_scopes, operatorScopes(options)));
  // Both kinds of codes are numbered from one: the minus keeps their token families apart.
  const granted = { ...code, user_id: userId, family: -code.id, jkt: proofKey, resource: null };
  const access = { scopes, resource: narrowedResource(deps, granted.resource, request.resources) };
  const idToken = await idTokenFor(deps, client, granted, found.person);
  const issued = await issuePair(deps, granted, access, (row) =>
    deps.issuer.useDeviceCode(code.id, row.created_at, row),
  );
  if (!issued) throw usedBefore();
  return idToken ? { ...issued, idToken: await idToken(issued, scopes, { withNonce: false }) } : issued;
}

const usedBefore = (): AppError => invalidGrant('The device code was used before.');

/** The user who approved; §3.5 defines the errors. */
async function answeredBy({ db, clock }: GrantDeps, code: PresentedDeviceCode): Promise<number> {
  if (code.expires_at <= nowSeconds(clock))
    throw new AppError('expired_token', 'The device code has expired. Request a new one.');
  // RFC 6749 §5.2: errors at the token endpoint have status 400.
  if (code.approved === 0) throw new AppError('access_denied', 'The user denied the request.', { status: 400 });
  if (code.approved === 1 && code.user_id !== null) return code.user_id;
  if (await tooSoon(db, code, clock.nowMs()))
    throw new AppError('slow_down', 'Polling is too frequent. Increase the interval by five seconds.');
  throw new AppError('authorization_pending', 'The user has not answered yet.');
}
