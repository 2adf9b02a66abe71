import type { ComponentType } from 'react';

export interface PageEntry {
  /** `$name` takes a parameter: `/sessions/$id`. */
  path: string;
  /** The document's title. */
  title: string;
  load: () => Promise<ComponentType>;
  /** Who may open it: `guest` pages send signed-in users on. Default `user`. */
  access?: 'guest' | 'public' | 'user' | 'admin';
  /** Without navigation, for pages that stand alone. */
  bare?: boolean;
}

/** Every page of the app. A new one is a line here, a file in pages/, and a line in navigation.ts if it has a place there. */
export const pages: PageEntry[] = [
  { path: '/', title: 'Home', load: () => import('./pages/home.tsx').then((m) => m.HomePage) },
  {
    path: '/playground',
    title: 'Playground',
    load: () => import('./pages/playground/playground-page.tsx').then((m) => m.PlaygroundPage),
  },
  { path: '/account', title: 'Account', load: () => import('./pages/account.tsx').then((m) => m.AccountPage) },
  { path: '/keys', title: 'Keys', load: () => import('./pages/keys.tsx').then((m) => m.KeysPage) },
  {
    path: '/applications',
    title: 'Applications',
    load: () => import('./pages/applications.tsx').then((m) => m.ApplicationsPage),
  },
  {
    path: '/applications/new',
    title: 'New application',
    load: () => import('./pages/applications/new.tsx').then((m) => m.NewApplicationPage),
  },
  {
    path: '/applications/$id',
    title: 'Application',
    load: () => import('./pages/applications/edit.tsx').then((m) => m.ApplicationPage),
  },
  {
    path: '/authorized-apps',
    title: 'Authorized apps',
    load: () => import('./pages/authorized-apps.tsx').then((m) => m.AuthorizedAppsPage),
  },
  {
    path: '/oauth2/authorize',
    title: 'Authorize an application',
    bare: true,
    load: () => import('./pages/oauth/authorize.tsx').then((m) => m.AuthorizePage),
  },
  {
    path: '/usage',
    title: 'Usage',
    load: () => import('./pages/usage.tsx').then((m) => m.UsagePage),
  },
  {
    path: '/credits',
    title: 'Credits',
    load: () => import('./pages/credits.tsx').then((m) => m.CreditsPage),
  },
  {
    path: '/sessions',
    title: 'Sessions',
    load: () => import('./pages/sessions/sessions-page.tsx').then((m) => m.SessionsPage),
  },
  {
    path: '/sessions/$id',
    title: 'Session',
    load: () => import('./pages/sessions/session-page.tsx').then((m) => m.SessionPage),
  },
  {
    path: '/knowledge',
    title: 'Knowledge',
    load: () => import('./pages/knowledge/knowledge-page.tsx').then((m) => m.KnowledgePage),
  },
  { path: '/runs', title: 'Runs', load: () => import('./pages/runs/runs-page.tsx').then((m) => m.RunsPage) },
  { path: '/runs/$id', title: 'Run', load: () => import('./pages/runs/run-page.tsx').then((m) => m.RunPage) },
  {
    path: '/videos',
    title: 'Videos',
    load: () => import('./pages/videos/videos-page.tsx').then((m) => m.VideosPage),
  },
  {
    path: '/orchestration/preferences',
    title: 'Orchestration preferences',
    load: () =>
      import('./pages/orchestration-preferences/preferences-page.tsx').then((m) => m.OrchestrationPreferencesPage),
  },
  {
    path: '/admin/users',
    title: 'Users',
    access: 'admin',
    load: () => import('./pages/admin-users.tsx').then((m) => m.AdminUsersPage),
  },
  {
    path: '/admin/applications',
    title: 'All applications',
    access: 'admin',
    load: () => import('./pages/admin-applications.tsx').then((m) => m.AdminApplicationsPage),
  },
  {
    path: '/admin/audit',
    title: 'Audit',
    access: 'admin',
    load: () => import('./pages/admin-audit.tsx').then((m) => m.AdminAuditPage),
  },
  {
    path: '/admin/options',
    title: 'Options',
    access: 'admin',
    load: () => import('./pages/admin-options.tsx').then((m) => m.AdminOptionsPage),
  },
  {
    path: '/admin/channels',
    title: 'Channels',
    access: 'admin',
    load: () => import('./pages/admin-channels/channels-page.tsx').then((m) => m.ChannelsPage),
  },
  {
    path: '/admin/models',
    title: 'Models',
    access: 'admin',
    load: () => import('./pages/admin-models/models-page.tsx').then((m) => m.ModelsPage),
  },
  {
    path: '/routing/health',
    title: 'Provider health',
    load: () => import('./pages/routing-health/health-page.tsx').then((m) => m.HealthPage),
  },
  {
    path: '/routing/decisions',
    title: 'Routing decisions',
    load: () => import('./pages/routing-decisions/decisions-page.tsx').then((m) => m.DecisionsPage),
  },
  {
    path: '/routing/preferences',
    title: 'Routing preferences',
    load: () => import('./pages/routing-preferences/preferences-page.tsx').then((m) => m.RoutingPreferencesPage),
  },
  {
    path: '/admin/routing',
    title: 'Routing configuration',
    access: 'admin',
    load: () => import('./pages/admin-routing/routing-page.tsx').then((m) => m.RoutingConfigPage),
  },
  {
    path: '/admin/system',
    title: 'System',
    access: 'admin',
    load: () => import('./pages/admin-system/system-page.tsx').then((m) => m.SystemPage),
  },
  {
    path: '/docs',
    title: 'API reference',
    access: 'public',
    bare: true,
    load: () => import('./pages/docs/docs-page.tsx').then((m) => m.DocsPage),
  },
  {
    path: '/login',
    title: 'Log in',
    access: 'guest',
    bare: true,
    load: () => import('./pages/login.tsx').then((m) => m.LoginPage),
  },
  {
    path: '/register',
    title: 'Create an account',
    access: 'guest',
    bare: true,
    load: () => import('./pages/register.tsx').then((m) => m.RegisterPage),
  },
  {
    path: '/goodbye',
    title: 'Account deleted',
    access: 'guest',
    bare: true,
    load: () => import('./pages/goodbye.tsx').then((m) => m.GoodbyePage),
  },
  {
    path: '/$',
    title: 'Page not found',
    access: 'public',
    bare: true,
    load: () => import('./pages/not-found.tsx').then((m) => m.NotFoundPage),
  },
];
