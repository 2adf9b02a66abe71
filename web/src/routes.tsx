import type { ComponentType } from 'react';
import * as door from './page-groups/door.ts';

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

type Row = [path: string, title: string, load: PageEntry['load']];

const open = (audience: Audience, rows: Row[]): PageEntry[] =>
  rows.map(([path, title, load]) => ({ path, title, load, ...audience }));

// Fetched together: split page by page, what some share came in about ninety files of a few hundred bytes, for any of them.
// What lies before the door comes with the app: what it shares with the others would be files of its own again.
const userPages = () => import('./page-groups/user.ts');
const adminPages = () => import('./page-groups/admin.ts');

/**
 * Every page of the app. A new one is a row here, a folder in pages/, a line in the group that brings it, and a line in
 * navigation.ts if it has a place there.
 */
export const pages: PageEntry[] = [
  ...open({ access: 'user' }, [
    ['/', 'Home', async () => (await userPages()).HomePage],
    ['/playground', 'Playground', async () => (await userPages()).PlaygroundPage],
    ['/models', 'Models', async () => (await userPages()).ModelsPage],
    // Ids of models hold slashes.
    ['/models/$', 'Model', async () => (await userPages()).ModelPage],
    ['/account', 'Account', async () => (await userPages()).AccountPage],
    ['/keys', 'Keys', async () => (await userPages()).KeysPage],
    ['/applications', 'Applications', async () => (await userPages()).ApplicationsPage],
    ['/applications/new', 'New application', async () => (await userPages()).NewApplicationPage],
    ['/applications/$id', 'Application', async () => (await userPages()).ApplicationPage],
    ['/authorized-apps', 'Authorized apps', async () => (await userPages()).AuthorizedAppsPage],
    ['/usage', 'Usage', async () => (await userPages()).UsagePage],
    ['/credits', 'Credits', async () => (await userPages()).CreditsPage],
    ['/sessions', 'Sessions', async () => (await userPages()).SessionsPage],
    ['/sessions/$id', 'Session', async () => (await userPages()).SessionPage],
    ['/knowledge', 'Knowledge', async () => (await userPages()).KnowledgePage],
    ['/runs', 'Runs', async () => (await userPages()).RunsPage],
    ['/runs/$id', 'Run', async () => (await userPages()).RunPage],
    ['/tools', 'Tools', async () => (await userPages()).ToolsPage],
    ['/videos', 'Videos', async () => (await userPages()).VideosPage],
    [
      '/orchestration/preferences',
      'Orchestration preferences',
      async () => (await userPages()).OrchestrationPreferencesPage,
    ],
    ['/routing/health', 'Provider health', async () => (await userPages()).RoutingHealthPage],
    ['/routing/decisions', 'Routing decisions', async () => (await userPages()).RoutingDecisionsPage],
    ['/routing/preferences', 'Routing preferences', async () => (await userPages()).RoutingPreferencesPage],
  ]),
  ...open({ access: 'admin' }, [
    ['/admin/users', 'Users', async () => (await adminPages()).AdminUsersPage],
    ['/admin/credits', 'Codes and payments', async () => (await adminPages()).AdminCreditsPage],
    ['/admin/applications', 'All applications', async () => (await adminPages()).AdminApplicationsPage],
    ['/admin/audit', 'Audit', async () => (await adminPages()).AdminAuditPage],
    ['/admin/options', 'Options', async () => (await adminPages()).AdminOptionsPage],
    ['/admin/channels', 'Channels', async () => (await adminPages()).AdminChannelsPage],
    ['/admin/mcp', 'MCP servers', async () => (await adminPages()).AdminMcpPage],
    ['/admin/identity-providers', 'Identity providers', async () => (await adminPages()).AdminIdentityProvidersPage],
    ['/admin/models', 'Models', async () => (await adminPages()).AdminModelsPage],
    ['/admin/routing', 'Routing configuration', async () => (await adminPages()).AdminRoutingPage],
    ['/admin/system', 'System', async () => (await adminPages()).AdminSystemPage],
  ]),
  ...open({ access: 'user', bare: true }, [
    ['/oauth2/authorize', 'Authorize an application', async () => door.AuthorizePage],
    ['/device', 'Connect a device', async () => door.DevicePage],
  ]),
  ...open({ access: 'guest', bare: true }, [
    ['/login', 'Log in', async () => door.LoginPage],
    ['/register', 'Create an account', async () => door.RegisterPage],
    ['/forgot-password', 'Forgot your password?', async () => door.ForgotPasswordPage],
    ['/goodbye', 'Account deleted', async () => door.GoodbyePage],
  ]),
  ...open({ access: 'public', bare: true }, [
    ['/link-account', 'Connect your account', async () => door.LinkAccountPage],
    ['/reset-password', 'Choose a password', async () => door.ResetPasswordPage],
    ['/verify-email', 'Verify your address', async () => door.VerifyEmailPage],
    ['/oauth2/logout', 'Log out', async () => door.LogoutPage],
    ['/docs', 'API reference', async () => (await userPages()).DocsPage],
    ['/$', 'Page not found', async () => door.NotFoundPage],
  ]),
];
