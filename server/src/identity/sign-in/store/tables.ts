import type { Generated } from 'kysely';

export interface IdentityProvidersTable {
  id: Generated<number>;
  /** Its name in URLs. */
  slug: string;
  name: string;
  kind: string;
  issuer: string;
  client_id: string;
  /** Sealed; empty if there is none. */
  client_secret: string;
  scopes: string;
  enabled: number;
  allow_sign_up: number;
  trust_email: number;
  /** JSON array; empty means all. */
  email_domains: string;
  role_claim: string;
  /** JSON object: group → role. */
  role_map: string;
  /** Vouches for its users at MCP servers. */
  vouches: Generated<number>;
  created_at: number;
  updated_at: number;
}

/** An external account that signs a user in. */
export interface UserIdentitiesTable {
  id: Generated<number>;
  user_id: number;
  provider_id: number;
  /** The issuer at that time: if a provider changes its issuer, its identities become invalid. */
  issuer: string;
  subject: string;
  /** An address or name for display. */
  label: string;
  created_at: number;
  last_used_at: number;
  /** Sealed JSON of the grant for vouching; empty if there is none. */
  grant_sealed: Generated<string>;
}

/** A browser sent to a provider, expected back once. */
export interface SignInAttemptsTable {
  state_hash: string;
  provider_id: number;
  browser_hash: string;
  return_to: string;
  /** The user who connects the account; null for a sign-in. */
  link_user_id: number | null;
  expires_at: number;
}

/** A sign-in with an existing account's address, waiting for that account's login. */
export interface SignInLinksTable {
  token_hash: string;
  browser_hash: string;
  user_id: number;
  provider_id: number;
  issuer: string;
  subject: string;
  label: string;
  return_to: string;
  expires_at: number;
  /** Becomes the identity's, once connected. */
  grant_sealed: Generated<string>;
}

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    identity_providers: IdentityProvidersTable;
    user_identities: UserIdentitiesTable;
    sign_in_attempts: SignInAttemptsTable;
    sign_in_links: SignInLinksTable;
  }
}
