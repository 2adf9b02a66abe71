import type { FactorDeps } from '../factors/deps.ts';
import type { LinkDeps } from '../links/deps.ts';
import type { Upstreams } from './upstreams.ts';

/** Shared dependencies of external sign-in. */
export interface SignInContext extends FactorDeps, LinkDeps {
  https: boolean;
  allowPrivate: boolean;
  upstreams: Upstreams;
}
