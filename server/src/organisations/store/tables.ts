import type { Generated, Selectable } from 'kysely';
import type { MemberRole } from '../rights.ts';

/** Levels of budgets and limits. */
export type Level = 'organisation' | 'team' | 'member' | 'key';

interface OrganisationsTable {
  id: Generated<number>;
  name: string;
  /** IANA name; budget windows follow it. */
  time_zone: string;
  /** `own`: each member pays; `shared`: the organisation's account does. */
  balance: string;
  /** A user that cannot log in. */
  account_id: number;
  webhook_url: Generated<string>;
  /** Sealed. */
  webhook_secret: Generated<string>;
  /** The user whose limited keys are placed here; null for real organisations. */
  keys_of: Generated<number | null>;
  created_at: number;
  /** The user whose personal limits are placed here; null for real organisations. */
  person_id: Generated<number | null>;
}

interface TeamsTable {
  id: Generated<number>;
  organisation_id: number;
  name: string;
  created_at: number;
  /** The directory's id; empty if there is none. */
  external_id: Generated<string>;
}

interface MembersTable {
  organisation_id: number;
  user_id: number;
  role: MemberRole;
  created_at: number;
  /** The directory entry of this member; null if there is none. */
  scim_user_id: Generated<number | null>;
}

/** Access tokens of directories. */
interface ScimTokensTable {
  id: Generated<number>;
  organisation_id: number;
  secret_hash: string;
  name: string;
  made_by: number;
  created_at: number;
  last_used_at: Generated<number | null>;
}

/** A user's attributes in the directory. */
export interface ScimUserFields {
  user_name: string;
  external_id: string;
  given_name: string;
  family_name: string;
  display_name: string;
  email: string;
  active: number;
}

interface ScimUsersTable extends ScimUserFields {
  id: Generated<number>;
  organisation_id: number;
  /** The name in lower case. */
  user_key: string;
  /** The verified address that links an account, in lower case; empty for none. */
  address: string;
  /** 1: removed by a manager, and so may not join before the directory activates them anew. */
  kept_out: Generated<number>;
  created_at: number;
  updated_at: number;
}

interface InvitationsTable {
  id: Generated<number>;
  organisation_id: number;
  secret_hash: string;
  /** Empty if the link is handed over. */
  email: string;
  role: MemberRole;
  team_id: number | null;
  invited_by: number;
  created_at: number;
  expires_at: number;
}

interface OrganisationKeysTable {
  key_id: number;
  organisation_id: number;
  team_id: number | null;
  /** Null for team keys. */
  member_id: number | null;
  /** The name at creation. */
  name: string;
  created_at: number;
}

interface ApplicationsTable {
  application_id: number;
  organisation_id: number;
  team_id: number;
  /** The name when it was given to the team. */
  name: string;
  created_at: number;
}

interface BudgetsTable {
  id: Generated<number>;
  organisation_id: number;
  level: Level;
  level_id: number;
  span: string;
  amount: number;
  hard: number;
  /** JSON array of thresholds, in thousandths, ascending. */
  alerts: string;
  created_at: number;
}

interface LimitsTable {
  organisation_id: number;
  level: Level;
  level_id: number;
  /** 0: none. */
  requests_per_minute: number;
  tokens_per_minute: number;
  /** JSON arrays; empty means all. */
  models: string;
  providers: string;
}

interface WarningsTable {
  id: Generated<number>;
  organisation_id: number;
  budget_id: number;
  level: Level;
  level_id: number;
  span: string;
  /** In thousandths. */
  share: number;
  used: number;
  amount: number;
  /** Of the window. */
  starts_at: number;
  created_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    organisations: OrganisationsTable;
    organisation_teams: TeamsTable;
    organisation_members: MembersTable;
    organisation_team_members: { team_id: number; user_id: number };
    organisation_scim_tokens: ScimTokensTable;
    organisation_scim_users: ScimUsersTable;
    /** Teams a directory assigns users to, also before they join. */
    organisation_scim_places: { team_id: number; scim_user_id: number };
    organisation_invitations: InvitationsTable;
    organisation_keys: OrganisationKeysTable;
    organisation_applications: ApplicationsTable;
    organisation_budgets: BudgetsTable;
    organisation_limits: LimitsTable;
    organisation_warnings: WarningsTable;
  }
}

export type OrganisationRow = Selectable<OrganisationsTable>;
export type TeamRow = Selectable<TeamsTable>;
export type MemberRow = Selectable<MembersTable>;
export type ScimTokenRow = Selectable<ScimTokensTable>;
export type ScimUserRow = Selectable<ScimUsersTable>;
export type InvitationRow = Selectable<InvitationsTable>;
export type OrganisationKeyRow = Selectable<OrganisationKeysTable>;
export type TeamApplicationRow = Selectable<ApplicationsTable>;
export type BudgetRow = Selectable<BudgetsTable>;
export type LimitRow = Selectable<LimitsTable>;
export type WarningRow = Selectable<WarningsTable>;
