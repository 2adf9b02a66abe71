import type { ComponentType } from 'react';
import { t } from './language/words.ts';
import { bringLater, laterComesFrom } from './later.tsx';
import * as door from './page-groups/door.ts';
import { prepareHome } from './pages/home/home-queries.ts';
import { bringGroup, whenIdle } from './rest.ts';

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
  /** Asks for what the page will show, while the page itself still comes. */
  prepare?: () => Promise<void>;
}

type Row = [path: string, title: string, load: PageEntry['load'], prepare?: PageEntry['prepare']];

const open = (audience: Audience, rows: Row[]): PageEntry[] =>
  rows.map(([path, title, load, prepare]) => ({ path, title, load, prepare, ...audience }));

// Fetched together: split page by page, what some share came in about ninety files of a few hundred bytes, for any of them.
// What lies before the door comes with the app: what it shares with the others would be files of its own again.
const firstPages = () => import('./page-groups/first.ts');
const morePages = () => bringGroup(() => import('./page-groups/more.ts'));
const userPages = () => bringGroup(() => import('./page-groups/user.ts'));
const adminPages = () => bringGroup(() => import('./page-groups/admin.ts'));

const isFirst = (): boolean => globalThis.location?.pathname === '/';
const isForAdmins = (): boolean => /^\/admin(\/|$)/.test(location.pathname);

/** The page that is opened first brings what stands around it. */
function groupHere() {
  if (isFirst()) return firstPages();
  return isForAdmins() ? adminPages() : userPages();
}

// Read while it is asked who is here; whoever is nobody yet comes back to it after the door.
if (isFirst()) queueMicrotask(() => firstPages().catch(() => {}));

// Each group but the first has it, and one of these is here already, or about to come; pages that ask something hardly need it.
laterComesFrom(() => (isForAdmins() ? adminPages() : userPages()));

/** Brings what stands around a page. From the first page people go to others: those come while nobody waits. */
export async function frame() {
  const group = await groupHere();
  // Without a network they are fetched when they are asked for.
  if (isFirst()) whenIdle(() => void bringLater().catch(() => {}));
  return group;
}

/**
 * Every page of the app. A new one is a row here, a folder in pages/, a line in the group that brings it, and a line in
 * navigation.ts if it has a place there.
 */
export const pages: PageEntry[] = [
  ...open({ access: 'user' }, [
    ['/', t('Home'), async () => (await firstPages()).HomePage, prepareHome],
    ['/playground', t('Playground'), async () => (await userPages()).PlaygroundPage],
    ['/models', t('Models'), async () => (await userPages()).ModelsPage],
    // Ids of models hold slashes.
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
