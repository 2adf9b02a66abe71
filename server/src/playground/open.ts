import type { PersonalData } from '../platform/db/pages.ts';
import type { Route } from '../platform/http/route.ts';
import type { PlaygroundDeps } from './deps.ts';
import { chatRoutes } from './routes/chats.ts';
import { presetRoutes } from './routes/presets.ts';
import { exportOf, forget } from './store/account-data.ts';

export interface Playground {
  routes: Route[];
  exportOf(userId: number): PersonalData;
  forgetUser(userId: number): Promise<void>;
}

/** What the playground stores for its users: chats and system prompts. */
export const openPlayground = (deps: PlaygroundDeps): Playground => ({
  routes: [...chatRoutes(deps), ...presetRoutes(deps)],
  exportOf: (userId) => exportOf(deps.db, userId),
  forgetUser: (userId) => forget(deps.db, userId),
});
