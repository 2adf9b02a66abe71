import { applicationsOfKeys } from '../identity/store/application-keys.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { hmacSha256Hex } from '../lib/hashing.ts';
import type { VideoDeps } from './deps.ts';
import { nextSecret, type SecretState, secretState } from './store-secrets.ts';

export interface CallbackSecrets {
  secret: string;
  /** The previous secret, while it is still valid. */
  previous: { secret: string; endsAt: number } | null;
}

type Deps = Pick<VideoDeps, 'db' | 'clock' | 'secretKey'>;

/** Whose videos the callbacks tell of: what was ordered with a key, or, with null or 0, from the browser. */
export interface Orderer {
  userId: number;
  keyId: number | null;
}

/** Derived from the service's key and a name, so no secret is stored. */
const derived = (secretKey: Uint8Array, name: string): string =>
  `vcs_${hmacSha256Hex(Buffer.from(secretKey).toString('hex'), name)}`;

/** Signs a user's callbacks. */
const secretOf = (secretKey: Uint8Array, userId: number, version: number): string =>
  derived(secretKey, version === 0 ? `video-callback:${userId}` : `video-callback:${userId}:${version}`);

function secretsOf({ clock, secretKey }: Deps, userId: number, { version, old_ends_at: endsAt }: SecretState) {
  const before = () => ({ secret: secretOf(secretKey, userId, version - 1), endsAt });
  return { secret: secretOf(secretKey, userId, version), previous: endsAt > nowSeconds(clock) ? before() : null };
}

/** The application that this key is the allowance of; undefined for a user's own. */
async function applicationOf({ db }: Deps, { keyId }: Orderer): Promise<number | undefined> {
  return keyId ? (await applicationsOfKeys(db, [keyId])).get(keyId)?.id : undefined;
}

/**
 * An application has a secret of its own with each user: with the user's it could forge what others are told, also after
 * the user has revoked its access.
 */
export async function callbackSecrets(deps: Deps, orderer: Orderer): Promise<CallbackSecrets> {
  const { userId } = orderer;
  const application = await applicationOf(deps, orderer);
  if (application === undefined) return secretsOf(deps, userId, await secretState(deps.db, userId));
  const secret = derived(deps.secretKey, `video-callback:${userId}:application:${application}`);
  return { secret, previous: null };
}

/** Creates a new secret; the current one stays valid for a while, older ones do not. */
export async function rotateSecret(deps: Deps, orderer: Orderer, overlapSeconds: number): Promise<CallbackSecrets> {
  const { userId } = orderer;
  if ((await applicationOf(deps, orderer)) !== undefined)
    throw new AppError('forbidden', 'Applications cannot change the secret of callbacks.');
  const oldEndsAt = overlapSeconds === 0 ? 0 : nowSeconds(deps.clock) + overlapSeconds;
  return secretsOf(deps, userId, await nextSecret(deps.db, userId, oldEndsAt));
}
