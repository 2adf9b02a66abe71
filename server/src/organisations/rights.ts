import { statuses } from '../identity/user.ts';

/** Roles and rights in an organisation. */

export const memberRoles = ['owner', 'admin', 'member', 'viewer'] as const;
export type MemberRole = (typeof memberRoles)[number];

export const rights = {
  /** The organisation, its teams and members. */
  see: ['owner', 'admin', 'member', 'viewer'],
  /**
   * Usage, requests and keys of everybody, all budgets, limits and alerts; others see their own, and what applies to
   * them.
   */
  see_all: ['owner', 'admin', 'viewer'],
  /** Personal keys, paid and limited by the organisation, and its connected tools. */
  use: ['owner', 'admin', 'member'],
  /** Team keys, and others' keys except for their secrets. */
  manage_keys: ['owner', 'admin'],
  manage_teams: ['owner', 'admin'],
  /** Servers connected for everybody. */
  manage_tools: ['owner', 'admin'],
  /** Members, roles and invitations; only owners create and change owners. */
  manage_members: ['owner', 'admin'],
  /** Budgets and limits at every level. */
  manage_budgets: ['owner', 'admin'],
  /** Name, time zone, webhook, and who pays. */
  manage_organisation: ['owner'],
} as const satisfies Record<string, readonly MemberRole[]>;
export type Right = keyof typeof rights;

export const has = (role: MemberRole, right: Right): boolean => (rights[right] as readonly MemberRole[]).includes(role);

/** Members who can log in, and accounts whose keys are valid. */
export const enabled = statuses.enabled;

/** Owners may change everyone; others only non-owners, and cannot make owners. */
export const mayGive = (acting: MemberRole, before: MemberRole | null, after: MemberRole | null): boolean =>
  acting === 'owner' || (before !== 'owner' && after !== 'owner');
