import { statuses } from '../identity/user.ts';

/** Who may do what in an organisation. */

export const memberRoles = ['owner', 'admin', 'member', 'viewer'] as const;
export type MemberRole = (typeof memberRoles)[number];

export const rights = {
  /** The organisation, its teams and who is in them. */
  see: ['owner', 'admin', 'member', 'viewer'],
  /** Usage, requests and keys of everybody, all budgets and limits, and warnings; others see their own, and what they stand under. */
  see_all: ['owner', 'admin', 'viewer'],
  /** Keys of one's own, which the organisation pays for and limits, and the tools that are connected for it. */
  use: ['owner', 'admin', 'member'],
  /** Keys of teams, and those of others, but for their secrets. */
  manage_keys: ['owner', 'admin'],
  manage_teams: ['owner', 'admin'],
  /** Servers that are connected for everybody in it. */
  manage_tools: ['owner', 'admin'],
  /** Who is in it, as what, and who is invited; owners are made and changed by owners alone. */
  manage_members: ['owner', 'admin'],
  /** Budgets and limits at every level. */
  manage_budgets: ['owner', 'admin'],
  /** Name, time zone, webhook, and who pays. */
  manage_organisation: ['owner'],
} as const satisfies Record<string, readonly MemberRole[]>;
export type Right = keyof typeof rights;

export const has = (role: MemberRole, right: Right): boolean => (rights[right] as readonly MemberRole[]).includes(role);

/** Of members who can log in, and of accounts whose keys count. */
export const enabled = statuses.enabled;

/** An owner stands above everybody; others change only those who are no owners, and make none. */
export const mayGive = (acting: MemberRole, before: MemberRole | null, after: MemberRole | null): boolean =>
  acting === 'owner' || (before !== 'owner' && after !== 'owner');
