import type { Generated, Selectable } from 'kysely';
import type { SigningAlgorithm } from '../openid/signing-algorithms.ts';

interface ApplicationsTable {
  id: Generated<number>;
  /** Null if it was not registered by a user. */
  owner_id: number | null;
  name: string;
  description: string;
  homepage_url: string;
  logo_url: string;
  client_id: string;
  /** Empty for clients without a secret. */
  secret_hash: string;
  /** JSON array. */
  redirect_uris: string;
  allowed_scopes: string;
  app_type: string;
  status: number;
  is_verified: number;
  verified_by: number | null;
  verified_at: number | null;
  webhook_url: string;
  /** Sealed rather than hashed, as it signs. */
  webhook_secret: string;
  rate_limit: number;
  /** Incremented by every suspension; codes, tokens and consents of an earlier epoch are void. */
  epoch: number;
  created_at: number;
  updated_at: number;
  /** JSON array: allowed addresses after a logout. */
  post_logout_redirect_uris: Generated<string>;
  backchannel_logout_uri: Generated<string>;
  id_token_signed_response_alg: Generated<SigningAlgorithm>;
  require_pushed_requests: Generated<number>;
  /** 0: redirects omit `iss`. */
  send_iss: Generated<number>;
  /** 1: tokens require proof of possession. */
  dpop_bound_access_tokens: Generated<number>;
  /** Who describes it: its `owner`; the `document` at its client id; or itself, by `registration`. */
  source: Generated<string>;
  /** How long the document's content is valid. */
  document_expires_at: number | null;
  /** Hash of the registration access token. */
  registration_hash: Generated<string>;
  /** Whether it may exchange tokens (RFC 8693). */
  token_exchange: Generated<number>;
  /** JSON array: clients that may exchange its tokens. */
  token_exchange_clients: Generated<string>;
  /** 1: authenticates by signature instead of a secret. */
  signs_assertions: Generated<number>;
  /** JSON of its public keys; empty if they are at `jwks_uri`, or there are none. */
  jwks: Generated<string>;
  jwks_uri: Generated<string>;
}

interface CodesTable {
  id: Generated<number>;
  code_hash: string;
  application_id: number;
  user_id: number;
  redirect_uri: string;
  scope: string;
  state: string | null;
  code_challenge: string | null;
  code_challenge_method: string | null;
  epoch: number;
  used_at: number | null;
  created_at: number;
  expires_at: number;
  /** JSON of a `SignIn` if an ID token was requested. */
  sign_in: string | null;
  /** The key required to exchange it, if the request named one. */
  dpop_jkt: string | null;
  /** Space-separated resources; null if none was named. */
  resource: string | null;
}

/** An access token with its refresh token. */
interface TokensTable {
  /** Part of both tokens, and grows with time; see credentials.ts. */
  id: number;
  /** Id of the code the pair descends from; negative for device codes. */
  family: number;
  application_id: number;
  user_id: number;
  access_hash: string;
  /** At most `scope`: a refresh may narrow it. */
  access_scope: string;
  access_expires_at: number;
  access_revoked: number;
  refresh_hash: string;
  scope: string;
  /** Of the refresh token. */
  expires_at: number;
  rotated_at_ms: number | null;
  revoked: number;
  epoch: number;
  created_at: number;
  last_used_at: number | null;
  /** As in its code. */
  sign_in: string | null;
  /** Thumbprint of the key to be proven with the access token; null for a bearer token. */
  jkt: string | null;
  resource: string | null;
  /** At most `resource`. */
  access_resource: string | null;
  /** Of an exchanged token: the user's original pair. */
  subject_id: number | null;
  /** The pair it was exchanged for, possibly exchanged itself. */
  parent_id: number | null;
  /** JSON: the actor (RFC 8693 §4.1). */
  act: string | null;
}

/** A session that signed in to an application; the row outlives the session until the application was notified. */
interface SignInsTable {
  id: Generated<number>;
  session_id: number;
  application_id: number;
  user_id: number;
  /** The application's id of the session. */
  sid: string;
  created_at: number;
  /** When its end was noticed. */
  ended_at: number | null;
}

interface ConsentsTable {
  id: Generated<number>;
  user_id: number;
  application_id: number;
  scopes: string;
  epoch: number;
  created_at: number;
  updated_at: number;
  /** The spending limit in quota units; null until the user sets it. */
  spending_limit: number | null;
  /** `total` or `month`. */
  spending_window: Generated<string>;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    oauth_applications: ApplicationsTable;
    oauth_codes: CodesTable;
    oauth_tokens: TokensTable;
    oauth_consents: ConsentsTable;
    oauth_sign_ins: SignInsTable;
  }
}

export type ApplicationRow = Selectable<ApplicationsTable>;
export type CodeRow = Selectable<CodesTable>;
export type TokenRow = Selectable<TokensTable>;
export type ConsentRow = Selectable<ConsentsTable>;
