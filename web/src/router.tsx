import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { NotFound, Pending, RouteError } from './components/page-states.tsx';
import { answerSilently, isLoginAgain, leaveTo, openPushed } from './pages/authorize/authorization.ts';
import { Root } from './root.tsx';
import { frame, type PageEntry, pages } from './routes.tsx';
import { parseSearch, safeNext, stringifySearch } from './search-params.ts';
import { currentUser, isAdmin, useUser } from './session.ts';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title?: string;
  }
}

interface Visit {
  location: { href: string; search: Record<string, unknown> };
}

/**
 * Whether interaction is forbidden (`prompt=none`). The URL of a pushed request does not show this: ask the service.
 */
const isSilent = async (search: Visit['location']['search']): Promise<boolean> =>
  search.prompt === 'none' || openPushed(search);

async function requireUser({ location }: Visit): Promise<void> {
  // A login page must not be shown then; the application receives the reason as an error.
  if (location.href.startsWith('/oauth2/authorize') && (await isSilent(location.search))) {
    const to = await answerSilently(window.location.search);
    if (to) {
      leaveTo(to);
      // Render nothing while the browser navigates away.
      return new Promise(() => {});
    }
  }
  if (await currentUser()) return;
  throw redirect({ to: '/login', search: location.href === '/' ? {} : { next: location.href } });
}

async function requireGuest({ location }: Visit): Promise<void> {
  if (isLoginAgain(location.search.next)) return;
  if (await currentUser()) throw redirect({ href: safeNext(location.search.next, window.location.origin) });
}

/** Administration pages look nonexistent to other users. The server protects their data. */
function forAdmins(Page: ComponentType): ComponentType {
  return function AdminPage() {
    return isAdmin(useUser()) ? <Page /> : <NotFound />;
  };
}

const rootRoute = createRootRoute({ component: Root });

const shellRoute = createRoute({
  id: 'shell',
  getParentRoute: () => rootRoute,
  beforeLoad: requireUser,
  component: lazyRouteComponent(frame, 'Shell'),
});

/** Without the trailing slash, the splat route below the path would match first, since its rest may be empty. */
const beforeRest = (path: string): string => (pages.some((page) => page.path === `${path}/$`) ? `${path}/` : path);

const routeOf = ({ path, title, load, prepare, access, bare }: PageEntry) =>
  createRoute({
    path: beforeRest(path),
    getParentRoute: () => (bare ? rootRoute : shellRoute),
    beforeLoad: access === 'guest' ? requireGuest : bare && access !== 'public' ? requireUser : undefined,
    component: lazyRouteComponent(
      () => load().then((Page) => ({ Page: access === 'admin' ? forAdmins(Page) : Page })),
      'Page',
    ),
    loader: () => void prepare?.(),
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
