import {
  IconActivityHeartbeat,
  IconAdjustments,
  IconAdjustmentsHorizontal,
  IconApps,
  IconArrowsSplit2,
  IconBook,
  IconBox,
  IconBuilding,
  IconChartBar,
  IconCreditCard,
  IconCube,
  IconGitBranch,
  IconHistory,
  IconHome,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconListSearch,
  IconLogin2,
  IconMessageCircle,
  IconMessages,
  IconPlug,
  IconPlugConnected,
  IconRobot,
  IconRoute,
  IconServer,
  IconSettings,
  IconShieldCheck,
  IconTicket,
  IconTool,
  IconUser,
  IconUsers,
  IconVideo,
  IconWallet,
  type TablerIcon,
} from '@tabler/icons-react';
import { t } from './language/words.ts';
import { isAdmin, type User } from './session.ts';

export interface NavigationEntry {
  label: string;
  path: string;
  icon: TablerIcon;
  /** One line of description for the quick links on the home page. */
  hint?: string;
}

export interface NavigationGroup {
  /** Identifies the group in stored state, independent of the language. */
  name: string;
  label?: string;
  admin?: boolean;
  entries: NavigationEntry[];
}

/** Every path must be a page of routes.tsx; a test checks this. */
const groups: NavigationGroup[] = [
  {
    name: 'Start',
    entries: [
      { label: t('Home'), path: '/', icon: IconHome },
      { label: t('Playground'), path: '/playground', icon: IconMessageCircle, hint: t('Chat with any model') },
      { label: t('Models'), path: '/models', icon: IconCube, hint: t('Prices, context and health') },
      { label: t('Keys'), path: '/keys', icon: IconKey, hint: t('Create and manage API keys') },
      { label: t('Own keys'), path: '/own-keys', icon: IconWallet, hint: t('Keys you have at providers') },
      { label: t('Usage'), path: '/usage', icon: IconChartBar, hint: t('Requests, tokens and cost') },
      { label: t('Requests'), path: '/requests', icon: IconListSearch, hint: t('Each request and its result') },
      { label: t('Credits'), path: '/credits', icon: IconCreditCard, hint: t('Balance, ledger, top-ups') },
    ],
  },
  {
    name: 'Build',
    label: t('Build'),
    entries: [
      { label: t('Applications'), path: '/applications', icon: IconApps, hint: t('OAuth applications you own') },
      { label: t('Tools'), path: '/tools', icon: IconTool, hint: t('Tools for agents and their addresses') },
      {
        label: t('Authorized apps'),
        path: '/authorized-apps',
        icon: IconShieldCheck,
        hint: t('Apps you gave access to'),
      },
    ],
  },
  {
    name: 'Orchestration',
    label: t('Orchestration'),
    entries: [
      { label: t('Sessions'), path: '/sessions', icon: IconMessages, hint: t('Conversations and their plans') },
      { label: t('Knowledge'), path: '/knowledge', icon: IconBook, hint: t('What the models remember') },
      { label: t('Runs'), path: '/runs', icon: IconRobot, hint: t('Autonomous runs') },
      { label: t('Videos'), path: '/videos', icon: IconVideo, hint: t('Video jobs') },
      { label: t('Preferences'), path: '/orchestration/preferences', icon: IconAdjustments },
    ],
  },
  {
    name: 'Routing',
    label: t('Routing'),
    entries: [
      { label: t('Health'), path: '/routing/health', icon: IconActivityHeartbeat, hint: t('Status of each provider') },
      { label: t('Decisions'), path: '/routing/decisions', icon: IconGitBranch, hint: t('Why a provider was chosen') },
      { label: t('Preferences'), path: '/routing/preferences', icon: IconAdjustmentsHorizontal },
    ],
  },
  {
    name: 'You',
    label: t('You##group'),
    entries: [
      { label: t('Organisations'), path: '/organisations', icon: IconBuilding, hint: t('Teams, members and budgets') },
      { label: t('Account'), path: '/account', icon: IconUser, hint: t('Profile, password, devices') },
    ],
  },
  {
    name: 'Admin',
    label: t('Admin##group'),
    admin: true,
    entries: [
      { label: t('Overview'), path: '/admin', icon: IconLayoutDashboard },
      { label: t('Users'), path: '/admin/users', icon: IconUsers },
      { label: t('Codes and payments'), path: '/admin/credits', icon: IconTicket },
      { label: t('Sign-in'), path: '/admin/identity-providers', icon: IconLogin2 },
      { label: t('Channels'), path: '/admin/channels', icon: IconPlugConnected },
      { label: t('Models'), path: '/admin/models', icon: IconBox },
      { label: t('Aliases'), path: '/admin/aliases', icon: IconArrowsSplit2 },
      { label: t('MCP servers'), path: '/admin/mcp', icon: IconPlug },
      { label: t('Routing config'), path: '/admin/routing', icon: IconRoute },
      { label: t('Applications'), path: '/admin/applications', icon: IconListDetails },
      { label: t('Audit'), path: '/admin/audit', icon: IconHistory },
      { label: t('Options'), path: '/admin/options', icon: IconSettings },
      { label: t('System'), path: '/admin/system', icon: IconServer },
    ],
  },
];

/** The navigation that this user may open. */
export const navigationFor = (user: Pick<User, 'role'>): NavigationGroup[] =>
  groups.filter(({ admin }) => !admin || isAdmin(user));
