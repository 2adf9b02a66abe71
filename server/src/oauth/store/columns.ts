import type { Selectable } from 'kysely';
import type { Tables } from '../../platform/db/tables.ts';
import { applicationStatus, ownerEnabled } from '../status.ts';
import type { ApplicationRow, CodeRow, TokenRow } from './tables.ts';

/** Rows of several tables in one result: each column prefixed with its table's letter. */
export type Flat = Record<string, unknown>;
export type Under<Letter extends string, Row> = { [Name in keyof Row & string as `${Letter}_${Name}`]: Row[Name] };

/** Read back by explicit lines below: a loop over names showed in introspection profiles. */
const columnsOf = (table: string, names: string): string =>
  names
    .split(' ')
    .map((name) => `${table}."${name}" as ${table}_${name}`)
    .join(', ');

/** While its owner is disabled, an application counts as suspended. */
export const statusNow = (table: string): string => `case when ${table}.status = ${applicationStatus.active} and exists
  (select 1 from users o where o.id = ${table}.owner_id and o.status <> ${ownerEnabled})
  then ${applicationStatus.suspended} else ${table}.status end`;

export type Client = Pick<
  ApplicationRow,
  | 'id'
  | 'owner_id'
  | 'client_id'
  | 'app_type'
  | 'secret_hash'
  | 'signs_assertions'
  | 'redirect_uris'
  | 'allowed_scopes'
  | 'status'
  | 'epoch'
  | 'rate_limit'
  | 'id_token_signed_response_alg'
  | 'dpop_bound_access_tokens'
  | 'token_exchange'
  | 'token_exchange_clients'
>;
const ownClientColumns = columnsOf(
  'a',
  'id owner_id client_id app_type secret_hash signs_assertions redirect_uris allowed_scopes epoch rate_limit id_token_signed_response_alg dpop_bound_access_tokens token_exchange token_exchange_clients',
);
export const clientColumns = `${ownClientColumns}, ${statusNow('a')} as a_status`;
export const readClient = (row: Flat): Client => {
  const from = row as Under<'a', Client>;
  return {
    id: from.a_id,
    owner_id: from.a_owner_id,
    client_id: from.a_client_id,
    app_type: from.a_app_type,
    secret_hash: from.a_secret_hash,
    signs_assertions: from.a_signs_assertions,
    redirect_uris: from.a_redirect_uris,
    allowed_scopes: from.a_allowed_scopes,
    status: from.a_status,
    epoch: from.a_epoch,
    rate_limit: from.a_rate_limit,
    id_token_signed_response_alg: from.a_id_token_signed_response_alg,
    dpop_bound_access_tokens: from.a_dpop_bound_access_tokens,
    token_exchange: from.a_token_exchange,
    token_exchange_clients: from.a_token_exchange_clients,
  };
};

export type PresentedCode = Omit<CodeRow, 'code_hash' | 'state' | 'created_at'>;
export const codeColumns = columnsOf(
  'c',
  'id application_id user_id redirect_uri scope code_challenge code_challenge_method epoch used_at expires_at sign_in dpop_jkt resource',
);
export const readCode = (row: Flat): PresentedCode => {
  const from = row as Under<'c', PresentedCode>;
  return {
    id: from.c_id,
    application_id: from.c_application_id,
    user_id: from.c_user_id,
    redirect_uri: from.c_redirect_uri,
    scope: from.c_scope,
    code_challenge: from.c_code_challenge,
    code_challenge_method: from.c_code_challenge_method,
    epoch: from.c_epoch,
    used_at: from.c_used_at,
    expires_at: from.c_expires_at,
    sign_in: from.c_sign_in,
    dpop_jkt: from.c_dpop_jkt,
    resource: from.c_resource,
  };
};

export type PresentedToken = Omit<TokenRow, 'access_hash' | 'refresh_hash' | 'parent_id'> & {
  /**
   * The application the user agreed to: its own or, for an exchanged token, the first one. Null if that grant has
   * ended.
   */
  granted_by: number | null;
  /** What the first application of an exchanged token may have now. */
  granted_scopes: string | null;
};
const ownTokenColumns = columnsOf(
  't',
  'id family application_id user_id access_scope access_expires_at access_revoked scope expires_at rotated_at_ms revoked epoch created_at last_used_at sign_in jkt resource access_resource subject_id act',
);
/** Rotating the first pair ends nothing: the grant continues in the next pair. */
export const tokenColumns = `${ownTokenColumns}, case when t.subject_id is null then t.application_id
  when s.revoked = 0 and s.access_revoked = 0 and s.epoch = g.epoch and ${statusNow('g')} = ${applicationStatus.active}
  then g.id end as t_granted_by, g.allowed_scopes as t_granted_scopes`;
/** Joined wherever a token's columns are read: for an exchanged token, its user's grant. */
export const grantOfToken = `left join oauth_tokens s on s.id = t.subject_id
  left join oauth_applications g on g.id = s.application_id`;
export const readToken = (row: Flat): PresentedToken => {
  const from = row as Under<'t', PresentedToken>;
  return {
    id: from.t_id,
    family: from.t_family,
    application_id: from.t_application_id,
    user_id: from.t_user_id,
    access_scope: from.t_access_scope,
    access_expires_at: from.t_access_expires_at,
    access_revoked: from.t_access_revoked,
    scope: from.t_scope,
    expires_at: from.t_expires_at,
    rotated_at_ms: from.t_rotated_at_ms,
    revoked: from.t_revoked,
    epoch: from.t_epoch,
    created_at: from.t_created_at,
    last_used_at: from.t_last_used_at,
    sign_in: from.t_sign_in,
    jkt: from.t_jkt,
    resource: from.t_resource,
    access_resource: from.t_access_resource,
    subject_id: from.t_subject_id,
    act: from.t_act,
    granted_by: from.t_granted_by,
    granted_scopes: from.t_granted_scopes,
  };
};

export type UserColumns = Omit<Selectable<Tables['users']>, 'password_hash' | 'username_key'>;
export const userColumns = columnsOf(
  'u',
  'id username display_name avatar_url email email_verified role status group quota used_quota request_count created_at',
);
export const readUser = (row: Flat): UserColumns => {
  const from = row as Under<'u', UserColumns>;
  return {
    id: from.u_id,
    username: from.u_username,
    display_name: from.u_display_name,
    avatar_url: from.u_avatar_url,
    email: from.u_email,
    email_verified: from.u_email_verified,
    role: from.u_role,
    status: from.u_status,
    group: from.u_group,
    quota: from.u_quota,
    used_quota: from.u_used_quota,
    request_count: from.u_request_count,
    created_at: from.u_created_at,
  };
};
