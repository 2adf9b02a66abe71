import type { FactorDeps } from '../factors/deps.ts';
import type { LinkDeps } from '../links/deps.ts';
import type { Upstreams } from './upstreams.ts';

/** What the functions of sign-in through others share. */
export interface SignInRoom extends FactorDeps, LinkDeps {
  https: boolean;
  allowPrivate: boolean;
  upstreams: Upstreams;
}
