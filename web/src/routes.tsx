import type { ComponentType } from 'react';

interface Audience {
  /** Who may open it: `guest` pages send signed-in users on. */
  access: 'guest' | 'public' | 'user' | 'admin';
  /** Without navigation, for pages that stand alone. */
  bare?: boolean;
}

export interface PageEntry extends Audience {
  /** `$name` takes a parameter: `/sessions/$id`. */
  path: string;
  /** The document's title. */
  title: string;
  load: () => Promise<ComponentType>;
}

/** A page's module exports its page and nothing else. */
type Row = [path: string, title: string, load: () => Promise<Record<string, ComponentType>>];

const open = (audience: Audience, rows: Row[]): PageEntry[] =>
  rows.map(([path, title, load]) => ({ path, title, load: async () => Object.values(await load())[0]!, ...audience }));

/** Every page of the app. A new one is a row here, a folder in pages/, and a line in navigation.ts if it has a place there. */
export const pages: PageEntry[] = [
  ...open({ access: 'user' }, [
    ['/', 'Home', () => import('./pages/home/home-page.tsx')],
    ['/playground', 'Playground', () => import('./pages/playground/playground-page.tsx')],
    ['/account', 'Account', () => import('./pages/account/account-page.tsx')],
    ['/keys', 'Keys', () => import('./pages/keys/keys-page.tsx')],
    ['/applications', 'Applications', () => import('./pages/applications/applications-page.tsx')],
    ['/applications/new', 'New application', () => import('./pages/applications/new-application-page.tsx')],
    ['/applications/$id', 'Application', () => import('./pages/applications/application-page.tsx')],
    ['/authorized-apps', 'Authorized apps', () => import('./pages/authorized-apps/authorized-apps-page.tsx')],
    ['/usage', 'Usage', () => import('./pages/usage/usage-page.tsx')],
    ['/credits', 'Credits', () => import('./pages/credits/credits-page.tsx')],
    ['/sessions', 'Sessions', () => import('./pages/sessions/sessions-page.tsx')],
    ['/sessions/$id', 'Session', () => import('./pages/sessions/session-page.tsx')],
    ['/knowledge', 'Knowledge', () => import('./pages/knowledge/knowledge-page.tsx')],
    ['/runs', 'Runs', () => import('./pages/runs/runs-page.tsx')],
    ['/runs/$id', 'Run', () => import('./pages/runs/run-page.tsx')],
    ['/videos', 'Videos', () => import('./pages/videos/videos-page.tsx')],
    [
      '/orchestration/preferences',
      'Orchestration preferences',
      () => import('./pages/orchestration-preferences/orchestration-preferences-page.tsx'),
    ],
    ['/routing/health', 'Provider health', () => import('./pages/routing-health/routing-health-page.tsx')],
    ['/routing/decisions', 'Routing decisions', () => import('./pages/routing-decisions/routing-decisions-page.tsx')],
    [
      '/routing/preferences',
      'Routing preferences',
      () => import('./pages/routing-preferences/routing-preferences-page.tsx'),
    ],
  ]),
  ...open({ access: 'admin' }, [
    ['/admin/users', 'Users', () => import('./pages/admin-users/admin-users-page.tsx')],
    ['/admin/applications', 'All applications', () => import('./pages/admin-applications/admin-applications-page.tsx')],
    ['/admin/audit', 'Audit', () => import('./pages/admin-audit/admin-audit-page.tsx')],
    ['/admin/options', 'Options', () => import('./pages/admin-options/admin-options-page.tsx')],
    ['/admin/channels', 'Channels', () => import('./pages/admin-channels/admin-channels-page.tsx')],
    ['/admin/mcp', 'Tools', () => import('./pages/admin-mcp/admin-mcp-page.tsx')],
    [
      '/admin/identity-providers',
      'Identity providers',
      () => import('./pages/admin-identity-providers/admin-identity-providers-page.tsx'),
    ],
    ['/admin/models', 'Models', () => import('./pages/admin-models/admin-models-page.tsx')],
    ['/admin/routing', 'Routing configuration', () => import('./pages/admin-routing/admin-routing-page.tsx')],
    ['/admin/system', 'System', () => import('./pages/admin-system/admin-system-page.tsx')],
  ]),
  ...open({ access: 'user', bare: true }, [
    ['/oauth2/authorize', 'Authorize an application', () => import('./pages/authorize/authorize-page.tsx')],
    ['/device', 'Connect a device', () => import('./pages/device/device-page.tsx')],
  ]),
  ...open({ access: 'guest', bare: true }, [
    ['/login', 'Log in', () => import('./pages/login/login-page.tsx')],
    ['/register', 'Create an account', () => import('./pages/register/register-page.tsx')],
    ['/forgot-password', 'Forgot your password?', () => import('./pages/forgot-password/forgot-password-page.tsx')],
    ['/goodbye', 'Account deleted', () => import('./pages/goodbye/goodbye-page.tsx')],
  ]),
  ...open({ access: 'public', bare: true }, [
    ['/link-account', 'Connect your account', () => import('./pages/link-account/link-account-page.tsx')],
    ['/reset-password', 'Choose a password', () => import('./pages/reset-password/reset-password-page.tsx')],
    ['/verify-email', 'Verify your address', () => import('./pages/verify-email/verify-email-page.tsx')],
    ['/oauth2/logout', 'Log out', () => import('./pages/logout/logout-page.tsx')],
    ['/docs', 'API reference', () => import('./pages/docs/docs-page.tsx')],
    ['/$', 'Page not found', () => import('./pages/not-found/not-found-page.tsx')],
  ]),
];
