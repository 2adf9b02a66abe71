import type { Generated } from 'kysely';

export interface IdentityProvidersTable {
  id: Generated<number>;
  /** Its name in addresses. */
  slug: string;
  name: string;
  kind: string;
  issuer: string;
  client_id: string;
  /** Sealed; empty for a client that has none. */
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
  /** Vouches for its people at MCP servers. */
  vouches: Generated<number>;
  created_at: number;
  updated_at: number;
}

/** An account elsewhere that lets a user in here. */
export interface UserIdentitiesTable {
  id: Generated<number>;
  user_id: number;
  provider_id: number;
  /** Who vouched for it then: a provider that is moved to another issuer vouches for none of them. */
  issuer: string;
  subject: string;
  /** How people know it: an address or a name. */
  label: string;
  created_at: number;
  last_used_at: number;
  /** Sealed JSON: what the provider vouches by; empty for nothing. */
  grant_sealed: Generated<string>;
}

/** A browser that was sent to a provider, and is expected back once. */
export interface SignInAttemptsTable {
  state_hash: string;
  provider_id: number;
  browser_hash: string;
  return_to: string;
  /** Who wants to connect the account; null where somebody signs in. */
  link_user_id: number | null;
  expires_at: number;
}

/** Somebody who came back with the address of an account, and has yet to sign in to that account. */
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
  /** Becomes that of the account, once it is one. */
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
