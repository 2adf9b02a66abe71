/** The frame, pages of users and the reference, which come in one file. */

export { AccountPage } from '../pages/account/account-page.tsx';
export { ApplicationPage } from '../pages/applications/application-page.tsx';
export { ApplicationsPage } from '../pages/applications/applications-page.tsx';
export { NewApplicationPage } from '../pages/applications/new-application-page.tsx';
export { AuthorizedAppsPage } from '../pages/authorized-apps/authorized-apps-page.tsx';
export { CreditsPage } from '../pages/credits/credits-page.tsx';
export { DocsPage } from '../pages/docs/docs-page.tsx';
export { HomePage } from '../pages/home/home-page.tsx';
export { KeysPage } from '../pages/keys/keys-page.tsx';
export { KnowledgePage } from '../pages/knowledge/knowledge-page.tsx';
export { ModelPage } from '../pages/models/model-page.tsx';
export { ModelsPage } from '../pages/models/models-page.tsx';
export { OrchestrationPreferencesPage } from '../pages/orchestration-preferences/orchestration-preferences-page.tsx';
export { PlaygroundPage } from '../pages/playground/playground-page.tsx';
export { RoutingDecisionsPage } from '../pages/routing-decisions/routing-decisions-page.tsx';
export { RoutingHealthPage } from '../pages/routing-health/routing-health-page.tsx';
export { RoutingPreferencesPage } from '../pages/routing-preferences/routing-preferences-page.tsx';
export { RunPage } from '../pages/runs/run-page.tsx';
export { RunsPage } from '../pages/runs/runs-page.tsx';
export { SessionPage } from '../pages/sessions/session-page.tsx';
export { SessionsPage } from '../pages/sessions/sessions-page.tsx';
export { ToolsPage } from '../pages/tools/tools-page.tsx';
export { UsagePage } from '../pages/usage/usage-page.tsx';
export { VideosPage } from '../pages/videos/videos-page.tsx';
export { Shell } from '../shell.tsx';
