import { t } from '../../language/words.ts';
import { type Organisation, type Role, roles } from '../../organisations.ts';

export const roleWords: Record<Role, { label: string; color: string; may: string }> = {
  owner: {
    label: t('Owner'),
    color: 'indigo',
    may: t('Full access, including name, time zone, who pays, webhook, assigning owners and deleting the organisation'),
  },
  admin: {
    label: t('Admin##role'),
    color: 'teal',
    may: t(
      'Manage teams, members, invitations, keys of teams and other members, budgets, limits and tools, and view the activity log',
    ),
  },
  member: {
    label: t('Member'),
    color: 'gray',
    may: t('Manage their own keys, use the organisation’s tools, and view the usage and budgets of those keys'),
  },
  viewer: { label: t('Viewer'), color: 'gray', may: t('View all spending, without changing anything') },
};

/** The role's name inside a sentence; an unknown role is shown as is. */
export function roleInWords(role: string): string {
  const known = roles.find((one) => one === role);
  return known ? roleWords[known].label.toLowerCase() : role;
}

export const balanceWords: Record<Organisation['balance'], { label: string; detail: string }> = {
  own: {
    label: t('Each member'),
    detail: t('Members’ keys are paid from their own balance, team keys from the organisation’s balance'),
  },
  shared: {
    label: t('The organisation'),
    detail: t('All keys are paid from the organisation’s balance, which an administrator of this service tops up'),
  },
};

export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** All time zones known to the browser, plus the current one. */
export const timeZones = (current: string): string[] => [
  ...new Set(['UTC', current, ...Intl.supportedValuesOf('timeZone')]),
];
