import type { ComponentType } from 'react';
import { t } from './language/words.ts';
import { loadLazyComponents, setLazyLoader } from './lazy-components.tsx';
import { loadPageGroup, whenIdle } from './load-page-group.ts';
import * as door from './page-groups/before-login.ts';
import { prepareHome } from './pages/home/home-queries.ts';

interface Audience {
  /** Who may open the page. `guest` pages redirect signed-in users. */
  access: 'guest' | 'public' | 'user' | 'admin';
  /** Stands alone, without the navigation. */
  bare?: boolean;
}

export interface PageEntry extends Audience {
  /** `$name` is a parameter: `/sessions/$id`. */
  path: string;
  /** Used in the document title. */
  title: string;
  load: () => Promise<ComponentType>;
  /** Prefetches the page's data while its script still loads. */
  prepare?: () => Promise<void>;
}

type Row = [path: string, title: string, load: PageEntry['load'], prepare?: PageEntry['prepare']];

const open = (audience: Audience, rows: Row[]): PageEntry[] =>
  rows.map(([path, title, load, prepare]) => ({ path, title, load, prepare, ...audience }));

// Pages are bundled in groups: split page by page, their shared code became about ninety files of a few hundred bytes,
// all needed by any page. Pages before login are part of the app itself, because their shared code would be split off
// again.
const firstPages = () => import('./page-groups/first.ts');
const morePages = () => loadPageGroup(() => import('./page-groups/more.ts'));
const userPages = () => loadPageGroup(() => import('./page-groups/user.ts'));
const adminPages = () => loadPageGroup(() => import('./page-groups/admin.ts'));

const isFirst = (): boolean => globalThis.location?.pathname === '/';
const isForAdmins = (): boolean => /^\/admin(\/|$)/.test(location.pathname);

/** The group of the page that is opened first; it includes the shell. */
function groupHere() {
  if (isFirst()) return firstPages();
  return isForAdmins() ? adminPages() : userPages();
}

// Loads in parallel with the login check. Guests need it too, right after login.
if (isFirst()) queueMicrotask(() => firstPages().catch(() => {}));

// Every group but the first contains these components, and one of the two is loaded or loading anyway. Standalone pages
// rarely need them.
setLazyLoader(() => (isForAdmins() ? adminPages() : userPages()));

/** Loads the shell. From the home page users go on to other pages, so those are loaded while the browser is idle. */
export async function frame() {
  const group = await groupHere();
  // If this fails (offline), they are loaded on demand.
  if (isFirst()) whenIdle(() => void loadLazyComponents().catch(() => {}));
  return group;
}

/**
 * All pages of the app. To add one: a row here, a folder in pages/, a line in its page group, and a line in
 * navigation.ts if it belongs there.
 */
export const pages: PageEntry[] = [
  ...open({ access: 'user' }, [
    ['/', t('Home'), async () => (await firstPages()).HomePage, prepareHome],
    ['/playground', t('Playground'), async () => (await userPages()).PlaygroundPage],
    ['/models', t('Models'), async () => (await userPages()).ModelsPage],
    // Model ids contain slashes.
    ['/models/$', t('Model'), async () => (await userPages()).ModelPage],
    ['/account', t('Account'), async () => (await userPages()).AccountPage],
    ['/keys', t('Keys'), async () => (await userPages()).KeysPage],
    ['/own-keys', t('Own keys'), async () => (await userPages()).OwnKeysPage],
    ['/applications', t('Applications'), async () => (await userPages()).ApplicationsPage],
    ['/applications/new', t('New application'), async () => (await userPages()).NewApplicationPage],
    ['/applications/$id', t('Application'), async () => (await userPages()).ApplicationPage],
    ['/organisations', t('Organisations'), async () => (await userPages()).OrganisationsPage],
    ['/organisations/$id', t('Organisation'), async () => (await userPages()).OrganisationPage],
    ['/authorized-apps', t('Authorized apps'), async () => (await userPages()).AuthorizedAppsPage],
    ['/usage', t('Usage'), async () => (await userPages()).UsagePage],
    ['/requests', t('Requests'), async () => (await userPages()).RequestsPage],
    ['/requests/$id', t('Request'), async () => (await userPages()).RequestPage],
    ['/credits', t('Credits'), async () => (await userPages()).CreditsPage],
    ['/sessions', t('Sessions'), async () => (await userPages()).SessionsPage],
    ['/sessions/$id', t('Session'), async () => (await userPages()).SessionPage],
    ['/knowledge', t('Knowledge'), async () => (await userPages()).KnowledgePage],
    ['/runs', t('Runs'), async () => (await userPages()).RunsPage],
    ['/runs/$id', t('Run'), async () => (await userPages()).RunPage],
    ['/tools', t('Tools'), async () => (await userPages()).ToolsPage],
    ['/videos', t('Videos'), async () => (await userPages()).VideosPage],
    [
      '/orchestration/preferences',
      t('Orchestration preferences'),
      async () => (await userPages()).OrchestrationPreferencesPage,
    ],
    ['/routing/health', t('Provider health'), async () => (await userPages()).RoutingHealthPage],
    ['/routing/decisions', t('Routing decisions'), async () => (await userPages()).RoutingDecisionsPage],
    ['/routing/preferences', t('Routing preferences'), async () => (await userPages()).RoutingPreferencesPage],
  ]),
  ...open({ access: 'admin' }, [
    ['/admin', t('Overview'), async () => (await adminPages()).AdminOverviewPage],
    ['/admin/users', t('Users'), async () => (await adminPages()).AdminUsersPage],
    ['/admin/users/$id', t('User'), async () => (await adminPages()).AdminUserPage],
    ['/admin/credits', t('Codes and payments'), async () => (await adminPages()).AdminCreditsPage],
    ['/admin/applications', t('All applications'), async () => (await adminPages()).AdminApplicationsPage],
    ['/admin/audit', t('Audit'), async () => (await adminPages()).AdminAuditPage],
    ['/admin/options', t('Options'), async () => (await adminPages()).AdminOptionsPage],
    ['/admin/channels', t('Channels'), async () => (await adminPages()).AdminChannelsPage],
    ['/admin/mcp', t('MCP servers'), async () => (await adminPages()).AdminMcpPage],
    ['/admin/identity-providers', t('Identity providers'), async () => (await adminPages()).AdminIdentityProvidersPage],
    ['/admin/models', t('Models'), async () => (await adminPages()).AdminModelsPage],
    ['/admin/aliases', t('Aliases'), async () => (await adminPages()).AdminAliasesPage],
    ['/admin/routing', t('Routing configuration'), async () => (await adminPages()).AdminRoutingPage],
    ['/admin/system', t('System'), async () => (await adminPages()).AdminSystemPage],
  ]),
  ...open({ access: 'user', bare: true }, [
    ['/oauth2/authorize', t('Authorize an application'), async () => (await morePages()).AuthorizePage],
    ['/device', t('Connect a device'), async () => (await morePages()).DevicePage],
  ]),
  ...open({ access: 'guest', bare: true }, [
    ['/login', t('Log in'), async () => door.LoginPage],
    ['/register', t('Create an account'), async () => door.RegisterPage],
    ['/forgot-password', t('Forgot your password?'), async () => door.ForgotPasswordPage],
    ['/goodbye', t('Account deleted'), async () => door.GoodbyePage],
  ]),
  ...open({ access: 'public', bare: true }, [
    ['/join', t('Join an organisation'), async () => (await morePages()).JoinPage],
    ['/link-account', t('Connect your account'), async () => (await morePages()).LinkAccountPage],
    ['/reset-password', t('Choose a password'), async () => door.ResetPasswordPage],
    ['/verify-email', t('Verify your address'), async () => door.VerifyEmailPage],
    ['/oauth2/logout', t('Log out'), async () => door.LogoutPage],
    ['/docs', t('API reference'), async () => (await userPages()).DocsPage],
    ['/$', t('Page not found'), async () => door.NotFoundPage],
  ]),
];
