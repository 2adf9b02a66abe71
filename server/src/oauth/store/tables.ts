import type { Generated, Selectable } from 'kysely';
import type { SigningAlgorithm } from '../openid/signing-algorithms.ts';

interface ApplicationsTable {
  id: Generated<number>;
  /** Null where nobody here registered it. */
  owner_id: number | null;
  name: string;
  description: string;
  homepage_url: string;
  logo_url: string;
  client_id: string;
  /** Empty for clients that have none. */
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
  /** Sealed: it signs, so it must be read again. */
  webhook_secret: string;
  rate_limit: number;
  /** Raised by every suspension; codes, tokens and consents of an earlier epoch are void. */
  epoch: number;
  created_at: number;
  updated_at: number;
  /** JSON array: where the browser may go after a logout. */
  post_logout_redirect_uris: Generated<string>;
  backchannel_logout_uri: Generated<string>;
  id_token_signed_response_alg: Generated<SigningAlgorithm>;
  require_pushed_requests: Generated<number>;
  /** 0 leaves `iss` out of redirects. */
  send_iss: Generated<number>;
  /** 1: no tokens without a proof of possession. */
  dpop_bound_access_tokens: Generated<number>;
  /** Who says what it is: its `owner`; without one, the `document` at its client id, or itself, by `registration`. */
  source: Generated<string>;
  /** Until when the document is believed as it was read. */
  document_expires_at: number | null;
  /** Of the token by which a client that registered itself changes what it said. */
  registration_hash: Generated<string>;
  /** Whether it may exchange tokens (RFC 8693). */
  token_exchange: Generated<number>;
  /** JSON array: the clients that may exchange tokens which were issued to it. */
  token_exchange_clients: Generated<string>;
  /** 1: it proves itself by what its keys sign, and by no secret. */
  signs_assertions: Generated<number>;
  /** JSON of its public keys; empty where they are at `jwks_uri`, or where it has none. */
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
  /** JSON of a `SignIn` where an ID token was asked for. */
  sign_in: string | null;
  /** The key that whoever exchanges it must have, where the request named one. */
  dpop_jkt: string | null;
  /** Resources that tokens are for, with spaces between them; null where none was named. */
  resource: string | null;
}

/** An access token with its refresh token. */
interface TokensTable {
  /** Part of both tokens, and grows with time; see credentials.ts. */
  id: number;
  /** The id of the code the pair descends from; of a device's code, with a minus in front. */
  family: number;
  application_id: number;
  user_id: number;
  access_hash: string;
  /** At most `scope`: a refresh may ask for less. */
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
  /** As in the code it descends from. */
  sign_in: string | null;
  /** Thumbprint of the key that must be proven along with the access token; null for a bearer token. */
  jkt: string | null;
  resource: string | null;
  /** At most `resource`. */
  access_resource: string | null;
  /** Of an exchanged token: the pair that the user's consent gave, in whose name it acts. */
  subject_id: number | null;
  /** The pair it was exchanged for, which may have been exchanged itself. */
  parent_id: number | null;
  /** JSON: who acts (RFC 8693 §4.1). */
  act: string | null;
}

/** A session that has signed in to an application; the row outlives the session until the application has heard of its end. */
interface SignInsTable {
  id: Generated<number>;
  session_id: number;
  application_id: number;
  user_id: number;
  /** By which the application knows it. */
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
  /** What the application may spend, in quota units; null until the user has set it. */
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
