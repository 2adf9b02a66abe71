import type { Sealer } from '../../lib/seal.ts';
import type { Log } from '../../platform/log.ts';
import type { AccountDeps } from '../accounts.ts';
import type { Upstreams } from './upstreams.ts';

/** What the functions of sign-in through others share. */
export interface SignInRoom extends AccountDeps {
  sealer: Sealer;
  log: Log;
  /** Where the web app is: browsers come back to it, and the cookies are its own. */
  webUrl: string;
  https: boolean;
  allowPrivate: boolean;
  upstreams: Upstreams;
}
