import type { KeyPrincipal } from '../../identity/principals.ts';
import type { Caller } from '../ports.ts';

type Asking = Pick<KeyPrincipal, 'keyId' | 'models' | 'unlimited'> & {
  user: Pick<KeyPrincipal['user'], 'id' | 'group'>;
};

export const callerOf = ({ user, keyId, models, unlimited }: Asking): Caller => ({
  userId: user.id,
  keyId,
  allowedModels: models,
  group: user.group,
  keyUnlimited: unlimited,
});
