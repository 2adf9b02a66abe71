import type { Sealer } from '../../lib/seal.ts';
import type { AccountDeps } from '../accounts.ts';

export interface FactorDeps extends AccountDeps {
  sealer: Sealer;
  /** The web app's public address, for codes and passkeys. */
  webUrl: string;
}
