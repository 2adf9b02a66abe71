import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import type { ClientCredentials } from '../client-auth.ts';
import type { OAuthContext } from '../context.ts';
import { authenticate } from '../grants/grant.ts';
import { withParameters } from '../redirect-uri.ts';
import { requireToolResources } from '../resource-indicators.ts';
import { allowedNow, joinScopes, requestedScopes, splitScopes, withoutOffline } from '../scopes.ts';
import { requireEnabled, requireVerified } from '../status.ts';
import { insertDeviceCode } from '../store/device-codes.ts';
import { deviceSeconds, firstInterval, newDeviceCode, newUserCode, shownUserCode } from './codes.ts';

/** Hardly any of all codes are in use: this many collisions are no coincidence. */
const mostDraws = 5;

/** RFC 8628 §3.1: a device without a browser requests a code that its user types elsewhere. */
export async function startDevice(
  deps: OAuthContext,
  credentials: ClientCredentials,
  scope: string | undefined,
  ip: string,
) {
  const { db, options } = deps;
  requireEnabled(options);
  const application = await deps.documents.presented(credentials.clientId, ip);
  authenticate(application, credentials);
  requireVerified(options, application!);
  const allowed = allowedNow(application!.allowed_scopes, options.get('OAuth2AllowedScopes'));
  const scopes = requestedScopes(withoutOffline(options, scope), allowed);
  // Device requests name no resource, and tokens without one cannot use tools.
  requireToolResources(deps, scopes, []);
  const now = nowSeconds(deps.clock);
  const row = {
    application_id: application!.id,
    scope: joinScopes(scopes),
    openid: Number(splitScopes(scope ?? '').includes('openid')),
    epoch: application!.epoch,
    interval_seconds: firstInterval,
    created_at: now,
    expires_at: now + deviceSeconds,
  };
  for (let draw = 1; draw <= mostDraws; draw += 1) {
    const [deviceCode, userCode] = [newDeviceCode(), newUserCode()];
    const hashes = { device_hash: sha256Hex(deviceCode), user_code_hash: sha256Hex(userCode) };
    if (await insertDeviceCode(db, { ...row, ...hashes })) return answer(deps, deviceCode, shownUserCode(userCode));
  }
  throw new AppError('unavailable', 'The code could not be created. Try again soon.');
}

/** §3.2. */
const answer = ({ webUrl }: Pick<OAuthContext, 'webUrl'>, device_code: string, user_code: string) => ({
  device_code,
  user_code,
  verification_uri: `${webUrl}/device`,
  verification_uri_complete: withParameters(`${webUrl}/device`, { user_code }),
  expires_in: deviceSeconds,
  interval: firstInterval,
});
