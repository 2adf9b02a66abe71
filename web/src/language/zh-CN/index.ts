/** All messages of the web pages in Chinese, one file per page. */
import account from './account.ts';
import acts from './acts.ts';
import adminAliases from './admin-aliases.ts';
import adminApplications from './admin-applications.ts';
import adminAudit from './admin-audit.ts';
import adminAuditFields from './admin-audit-fields.ts';
import adminChannels from './admin-channels.ts';
import adminCredits from './admin-credits.ts';
import adminIdentityProviders from './admin-identity-providers.ts';
import adminMcp from './admin-mcp.ts';
import adminModels from './admin-models.ts';
import adminOptions from './admin-options.ts';
import adminOverview from './admin-overview.ts';
import adminRouting from './admin-routing.ts';
import adminSystem from './admin-system.ts';
import adminUser from './admin-user.ts';
import adminUsers from './admin-users.ts';
import applications from './applications.ts';
import authorize from './authorize.ts';
import authorizedApps from './authorized-apps.ts';
import components from './components.ts';
import credits from './credits.ts';
import device from './device.ts';
import docs from './docs.ts';
import forgotPassword from './forgot-password.ts';
import goodbye from './goodbye.ts';
import home from './home.ts';
import join from './join.ts';
import keys from './keys.ts';
import knowledge from './knowledge.ts';
import labels from './labels.ts';
import linkAccount from './link-account.ts';
import login from './login.ts';
import logout from './logout.ts';
import models from './models.ts';
import orchestrationPreferences from './orchestration-preferences.ts';
import organisations from './organisations.ts';
import organisationsPeople from './organisations-people.ts';
import ownKeys from './own-keys.ts';
import pageNames from './page-names.ts';
import palette from './palette.ts';
import playground from './playground.ts';
import register from './register.ts';
import requests from './requests.ts';
import resetPassword from './reset-password.ts';
import root from './root.ts';
import routingDecisions from './routing-decisions.ts';
import routingHealth from './routing-health.ts';
import routingPreferences from './routing-preferences.ts';
import runs from './runs.ts';
import runsEvents from './runs-events.ts';
import sessions from './sessions.ts';
import states from './states.ts';
import tools from './tools.ts';
import usage from './usage.ts';
import verifyEmail from './verify-email.ts';
import videos from './videos.ts';

const words = {
  ...account,
  ...acts,
  ...adminAliases,
  ...adminApplications,
  ...adminAudit,
  ...adminAuditFields,
  ...adminChannels,
  ...adminCredits,
  ...adminIdentityProviders,
  ...adminMcp,
  ...adminModels,
  ...adminOptions,
  ...adminOverview,
  ...adminRouting,
  ...adminSystem,
  ...adminUser,
  ...adminUsers,
  ...applications,
  ...authorize,
  ...authorizedApps,
  ...components,
  ...credits,
  ...device,
  ...docs,
  ...forgotPassword,
  ...goodbye,
  ...home,
  ...join,
  ...keys,
  ...knowledge,
  ...labels,
  ...linkAccount,
  ...login,
  ...logout,
  ...models,
  ...orchestrationPreferences,
  ...organisations,
  ...organisationsPeople,
  ...ownKeys,
  ...pageNames,
  ...palette,
  ...playground,
  ...register,
  ...requests,
  ...resetPassword,
  ...root,
  ...routingDecisions,
  ...routingHealth,
  ...routingPreferences,
  ...runs,
  ...runsEvents,
  ...sessions,
  ...states,
  ...tools,
  ...usage,
  ...verifyEmail,
  ...videos,
} as const;

export default words;
export type Catalog = typeof words;
