import {
  IconActivityHeartbeat,
  IconAdjustments,
  IconAdjustmentsHorizontal,
  IconApps,
  IconBook,
  IconBox,
  IconChartBar,
  IconCreditCard,
  IconCube,
  IconGitBranch,
  IconHistory,
  IconHome,
  IconKey,
  IconListDetails,
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
  type TablerIcon,
} from '@tabler/icons-react';
import { isAdmin, type User } from './session.ts';

interface NavigationEntry {
  label: string;
  path: string;
  icon: TablerIcon;
  /** One line for the home page's quick links. */
  hint?: string;
}

export interface NavigationGroup {
  label?: string;
  admin?: boolean;
  entries: NavigationEntry[];
}

/** Every path is a page of routes.tsx; a test holds the two together. */
const groups: NavigationGroup[] = [
  {
    entries: [
      { label: 'Home', path: '/', icon: IconHome },
      { label: 'Playground', path: '/playground', icon: IconMessageCircle, hint: 'Chat with any model' },
      { label: 'Models', path: '/models', icon: IconCube, hint: 'Prices, context and health' },
      { label: 'Keys', path: '/keys', icon: IconKey, hint: 'Create and manage API keys' },
      { label: 'Usage', path: '/usage', icon: IconChartBar, hint: 'Requests, tokens and cost' },
      { label: 'Credits', path: '/credits', icon: IconCreditCard, hint: 'Balance, ledger, top-ups' },
    ],
  },
  {
    label: 'Build',
    entries: [
      { label: 'Applications', path: '/applications', icon: IconApps, hint: 'OAuth applications you own' },
      { label: 'Tools', path: '/tools', icon: IconTool, hint: 'What agents may use, and where' },
      { label: 'Authorized apps', path: '/authorized-apps', icon: IconShieldCheck, hint: 'What you gave access to' },
    ],
  },
  {
    label: 'Orchestration',
    entries: [
      { label: 'Sessions', path: '/sessions', icon: IconMessages, hint: 'Conversations and their plans' },
      { label: 'Knowledge', path: '/knowledge', icon: IconBook, hint: 'What the models remember' },
      { label: 'Runs', path: '/runs', icon: IconRobot, hint: 'Autonomous runs' },
      { label: 'Videos', path: '/videos', icon: IconVideo, hint: 'Video jobs' },
      { label: 'Preferences', path: '/orchestration/preferences', icon: IconAdjustments },
    ],
  },
  {
    label: 'Routing',
    entries: [
      { label: 'Health', path: '/routing/health', icon: IconActivityHeartbeat, hint: 'How providers are doing' },
      { label: 'Decisions', path: '/routing/decisions', icon: IconGitBranch, hint: 'Why a provider was chosen' },
      { label: 'Preferences', path: '/routing/preferences', icon: IconAdjustmentsHorizontal },
    ],
  },
  {
    label: 'You',
    entries: [{ label: 'Account', path: '/account', icon: IconUser, hint: 'Profile, password, devices' }],
  },
  {
    label: 'Admin',
    admin: true,
    entries: [
      { label: 'Users', path: '/admin/users', icon: IconUsers },
      { label: 'Codes and payments', path: '/admin/credits', icon: IconTicket },
      { label: 'Sign-in', path: '/admin/identity-providers', icon: IconLogin2 },
      { label: 'Channels', path: '/admin/channels', icon: IconPlugConnected },
      { label: 'Models', path: '/admin/models', icon: IconBox },
      { label: 'MCP servers', path: '/admin/mcp', icon: IconPlug },
      { label: 'Routing config', path: '/admin/routing', icon: IconRoute },
      { label: 'Applications', path: '/admin/applications', icon: IconListDetails },
      { label: 'Audit', path: '/admin/audit', icon: IconHistory },
      { label: 'Options', path: '/admin/options', icon: IconSettings },
      { label: 'System', path: '/admin/system', icon: IconServer },
    ],
  },
];

/** What this user can open. */
export const navigationFor = (user: Pick<User, 'role'>): NavigationGroup[] =>
  groups.filter(({ admin }) => !admin || isAdmin(user));
