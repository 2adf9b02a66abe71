import type { Log } from '../../platform/log.ts';
import type { FactorDeps } from '../factors/deps.ts';
import type { Upstreams } from './upstreams.ts';

/** What the functions of sign-in through others share. */
export interface SignInRoom extends FactorDeps {
  log: Log;
  https: boolean;
  allowPrivate: boolean;
  upstreams: Upstreams;
}
