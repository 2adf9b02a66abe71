import { nowSeconds } from '../../lib/clock.ts';
import { inBatches, sweepBatches } from '../../platform/db/pages.ts';
import type { Route } from '../../platform/http/route.ts';
import type { SignInContext } from './context.ts';
import { providerRoutes } from './routes/admin.ts';
import { linkedRoutes } from './routes/linked.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { deleteExpiredAttempts, deleteExpiredLinks } from './store/attempts.ts';
import { Upstreams } from './upstreams.ts';
import { openVouching, type Vouching } from './vouching.ts';

export interface SignIn {
  routes: Route[];
  vouching: Vouching;
  sweep(): Promise<void>;
}

/** External sign-in: OpenID Connect providers, and GitHub. */
export function openSignIn(deps: Omit<SignInContext, 'upstreams'>, origins: string[]): SignIn {
  const room: SignInContext = { ...deps, upstreams: new Upstreams(deps) };
  return {
    routes: [...signInRoutes(room), ...linkedRoutes(room, origins), ...providerRoutes(room)],
    vouching: openVouching(room),
    sweep: async () => {
      for (const deleteSome of [deleteExpiredAttempts, deleteExpiredLinks])
        await inBatches((most) => deleteSome(room.db, nowSeconds(room.clock), most), sweepBatches);
    },
  };
}
