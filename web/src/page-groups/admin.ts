/** Administration pages, bundled into one file. */
export { AdminAliasesPage } from '../pages/admin-aliases/admin-aliases-page.tsx';
export { AdminApplicationsPage } from '../pages/admin-applications/admin-applications-page.tsx';
export { AdminAuditPage } from '../pages/admin-audit/admin-audit-page.tsx';
export { AdminChannelsPage } from '../pages/admin-channels/admin-channels-page.tsx';
export { AdminCreditsPage } from '../pages/admin-credits/admin-credits-page.tsx';
export { AdminIdentityProvidersPage } from '../pages/admin-identity-providers/admin-identity-providers-page.tsx';
export { AdminMcpPage } from '../pages/admin-mcp/admin-mcp-page.tsx';
export { AdminModelsPage } from '../pages/admin-models/admin-models-page.tsx';
export { AdminOptionsPage } from '../pages/admin-options/admin-options-page.tsx';
export { AdminOverviewPage } from '../pages/admin-overview/admin-overview-page.tsx';
export { AdminRoutingPage } from '../pages/admin-routing/admin-routing-page.tsx';
export { AdminSystemPage } from '../pages/admin-system/admin-system-page.tsx';
export { AdminUserPage } from '../pages/admin-user/admin-user-page.tsx';
export { AdminUsersPage } from '../pages/admin-users/admin-users-page.tsx';
// The shell and the overlays.
export * from './more.ts';
