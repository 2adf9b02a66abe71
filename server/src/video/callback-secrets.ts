import { nowSeconds } from '../lib/clock.ts';
import { hmacSha256Hex } from '../lib/hashing.ts';
import type { VideoDeps } from './deps.ts';
import { nextSecret, type SecretState, secretState } from './store-secrets.ts';

export interface CallbackSecrets {
  secret: string;
  /** The previous secret, while it is still valid. */
  previous: { secret: string; endsAt: number } | null;
}

type Deps = Pick<VideoDeps, 'db' | 'clock' | 'secretKey'>;

/** Signs a user's callbacks. Derived from the service's key and a number, so no secret is stored. */
const secretOf = (secretKey: Uint8Array, userId: number, version: number): string => {
  const name = version === 0 ? `video-callback:${userId}` : `video-callback:${userId}:${version}`;
  return `vcs_${hmacSha256Hex(Buffer.from(secretKey).toString('hex'), name)}`;
};

function secretsOf({ clock, secretKey }: Deps, userId: number, { version, old_ends_at: endsAt }: SecretState) {
  const before = () => ({ secret: secretOf(secretKey, userId, version - 1), endsAt });
  return { secret: secretOf(secretKey, userId, version), previous: endsAt > nowSeconds(clock) ? before() : null };
}

export const callbackSecrets = async (deps: Deps, userId: number): Promise<CallbackSecrets> =>
  secretsOf(deps, userId, await secretState(deps.db, userId));

/** Creates a new secret; the current one stays valid for a while, older ones do not. */
export async function rotateSecret(deps: Deps, userId: number, overlapSeconds: number): Promise<CallbackSecrets> {
  const oldEndsAt = overlapSeconds === 0 ? 0 : nowSeconds(deps.clock) + overlapSeconds;
  return secretsOf(deps, userId, await nextSecret(deps.db, userId, oldEndsAt));
}
