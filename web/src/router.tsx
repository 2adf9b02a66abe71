import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
} from '@tanstack/react-router';
import { Pending } from './components/pending.tsx';
import { RouteError } from './components/route-error.tsx';
import { NotFound } from './pages/not-found.tsx';
import { Root } from './root.tsx';
import { type PageEntry, pages } from './routes.tsx';
import { parseSearch, safeNext, stringifySearch } from './search-params.ts';
import { currentUser, isAdmin } from './session.ts';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title?: string;
  }
}

interface Visit {
  location: { href: string; search: Record<string, unknown> };
}

async function requireUser({ location }: Visit): Promise<void> {
  if (await currentUser()) return;
  throw redirect({ to: '/login', search: location.href === '/' ? {} : { next: location.href } });
}

async function requireGuest({ location }: Visit): Promise<void> {
  if (await currentUser()) throw redirect({ href: safeNext(location.search.next, window.location.origin) });
}

async function requireAdmin(): Promise<void> {
  const user = await currentUser();
  if (user && !isAdmin(user)) throw notFound();
}

const rootRoute = createRootRoute({ component: Root });

const shellRoute = createRoute({
  id: 'shell',
  getParentRoute: () => rootRoute,
  beforeLoad: requireUser,
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
  notFoundComponent: NotFound,
});

const guards = { guest: requireGuest, public: undefined, user: undefined, admin: requireAdmin };

const routeOf = ({ path, title, load, access = 'user', bare }: PageEntry) =>
  createRoute({
    path,
    getParentRoute: () => (bare ? rootRoute : shellRoute),
    beforeLoad: bare && access === 'user' ? requireUser : guards[access],
    component: lazyRouteComponent(() => load().then((Page) => ({ Page })), 'Page'),
    staticData: { title },
  });

const routeTree = rootRoute.addChildren([
  shellRoute.addChildren(pages.filter(({ bare }) => !bare).map(routeOf)),
  ...pages.filter(({ bare }) => bare).map(routeOf),
]);

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: Pending,
  defaultErrorComponent: RouteError,
});
