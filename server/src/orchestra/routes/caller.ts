import type { KeyPrincipal } from '../../identity/principals.ts';
import type { Caller } from '../ports.ts';

export const callerOf = ({ user, keyId, models, unlimited }: KeyPrincipal): Caller => ({
  userId: user.id,
  keyId,
  allowedModels: models,
  group: user.group,
  keyUnlimited: unlimited,
});
