import type { Origin } from '../identity/audit/log.ts';
import { accountsCalled } from '../identity/store/names.ts';
import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { inBatches } from '../platform/db/pages.ts';
import { inTurn } from '../platform/db/with-lock.ts';
import { type Page, rangeOf } from '../platform/http/paging.ts';
import { announceApplicationChange } from './announcement-tags.ts';
import { type ApplicationInput, defaultRateLimit, type NewApplication, recordApplication } from './application.ts';
import { keysAfter, noKeys } from './assertion/client-keys.ts';
import { authMethodOf } from './client-auth.ts';
import type { OAuthContext } from './context.ts';
import { newClientId, newClientSecret, newWebhookSecret } from './credentials.ts';
import { endAccess } from './end-access.ts';
import { openidColumns } from './openid/application.ts';
import { operatorScopes, registeredScopes } from './scopes.ts';
import { applicationStatus, unverified } from './status.ts';
import { livingApplicationsOf } from './store/account-data.ts';
import { type ApplicationChange, changeApplication, findApplication, insertApplication } from './store/applications.ts';
import { deleteConsentsOf } from './store/consents.ts';
import { type ApplicationFilter, countOwned, listAll, listOwned, type WithOwner } from './store/list-applications.ts';
import type { ApplicationRow } from './store/tables.ts';

export interface Owner {
  userId: number;
  origin: Origin;
}

const unknown = (): AppError => new AppError('not_found', 'There is no such application.');

/** 404 before 403: a deleted application has no owner. */
export async function ownApplication(deps: OAuthContext, userId: number, id: number): Promise<ApplicationRow> {
  const row = await findApplication(deps.db, { id });
  if (!row) throw unknown();
  if (row.owner_id === userId) return row;
  // Managers of an organisation manage its teams' applications.
  if (row.owner_id !== null && (await deps.teams.manages(userId, row.owner_id))) return row;
  throw new AppError('access_denied', 'This application belongs to someone else.');
}

export async function ownApplications(
  deps: OAuthContext,
  userId: number,
  page: Page,
): Promise<{ rows: ApplicationRow[]; total: number }> {
  return listOwned(deps.db, userId, rangeOf(page));
}

/** Owners considered when searching by part of an owner's name. */
const mostOwners = 50;

/** All applications, newest first; by part of their own or their owner's name. */
export async function allApplications(
  { db }: Pick<OAuthContext, 'db'>,
  filter: Omit<ApplicationFilter, 'owners'>,
  page: Page,
): Promise<{ rows: WithOwner[]; total: number }> {
  const owners = filter.q === '' ? [] : await accountsCalled(db, filter.q, mostOwners);
  return listAll(db, { ...filter, owners }, rangeOf(page));
}

/** All applications' addresses are read for CORS, and rows stay after deletion, so their number is bounded. */
const mostApplications = 500;
const daySeconds = 86_400;

async function requireRoomFor({ db, clock }: Pick<OAuthContext, 'db' | 'clock'>, ownerId: number): Promise<void> {
  if ((await countOwned(db, ownerId, nowSeconds(clock) - daySeconds, mostApplications)) >= mostApplications)
    throw new AppError(
      'conflict',
      `The limit of ${mostApplications} applications, in total or created today, is reached. Delete some, or try again tomorrow.`,
    );
}

/** The secret is returned only here; public clients and those with keys have none. */
export async function createApplication(
  deps: OAuthContext,
  owner: Owner,
  input: NewApplication,
): Promise<{ row: ApplicationRow; secret: string }> {
  const allowed_scopes = registeredScopes(input.scopes, operatorScopes(deps.options));
  const { columns, keys, rest } = openidColumns(input, deps.options.get('OAuth2OpenIDConnect'));
  const itsKeys = keysAfter(keys, noKeys, input.app_type);
  const hasSecret = authMethodOf({ ...itsKeys, app_type: input.app_type }) === 'client_secret_basic';
  const secret = hasSecret ? newClientSecret() : '';
  const now = nowSeconds(deps.clock);
  const { scopes: _, redirect_uris, ...plain } = rest;
  const application = {
    ...plain,
    ...columns,
    ...itsKeys,
    redirect_uris: JSON.stringify(redirect_uris),
    allowed_scopes,
    owner_id: owner.userId,
    client_id: newClientId(),
    secret_hash: secret === '' ? '' : sha256Hex(secret),
    status: applicationStatus.active,
    is_verified: 0,
    webhook_secret: deps.sealer.seal(newWebhookSecret()),
    rate_limit: defaultRateLimit,
    epoch: 0,
    created_at: now,
    updated_at: now,
  };
  const row = await inTurn(deps.db, 'applications', owner.userId, async (tx) => {
    await requireRoomFor({ ...deps, db: tx }, owner.userId);
    return insertApplication(tx, application);
  });
  await deps.origins.changed();
  recordApplication(deps, 'app_created', owner, { after: row, metadata: { app_name: row.name } });
  return { row, secret };
}

/**
 * What an administrator reviews before verifying: identity, description, addresses and authentication. More scopes
 * change none of this, and users are asked for them anyway.
 */
const vouchedFor: ReadonlySet<string> = new Set([
  'name',
  'description',
  'homepage_url',
  'logo_url',
  'redirect_uris',
  'post_logout_redirect_uris',
  'app_type',
  'signs_assertions',
]);

export async function updateApplication(
  deps: OAuthContext,
  owner: Owner,
  id: number,
  input: ApplicationInput,
): Promise<ApplicationRow> {
  const before = await ownApplication(deps, owner.userId, id);
  const { columns, keys, rest } = openidColumns(input, deps.options.get('OAuth2OpenIDConnect'));
  const { scopes, redirect_uris, ...plain } = rest;
  const wanted: ApplicationChange = {
    ...plain,
    ...columns,
    ...keysAfter(keys, before, plain.app_type ?? before.app_type),
    ...(scopes !== undefined && {
      allowed_scopes: registeredScopes(scopes, operatorScopes(deps.options), before.allowed_scopes),
    }),
    ...(redirect_uris && { redirect_uris: JSON.stringify(redirect_uris) }),
  };
  const fields = (Object.keys(wanted) as (keyof typeof wanted & keyof ApplicationRow)[]).filter(
    (name) => wanted[name] !== undefined && wanted[name] !== before[name],
  );
  if (fields.length === 0) return before;
  // Only changed fields are written: a concurrent change must not be undone, in particular not under an old
  // verification.
  const change: ApplicationChange = Object.fromEntries(fields.map((name) => [name, wanted[name]]));
  // A secret does not survive a change of type: public clients and those with keys have none, others generate one by
  // rotating.
  if (fields.includes('app_type') || fields.includes('signs_assertions')) change.secret_hash = '';
  const doubted = fields.some((name) => vouchedFor.has(name));
  if (doubted) Object.assign(change, unverified);
  const row = await changed(deps, id, change);
  const lost = doubted && before.is_verified === 1 ? ['is_verified'] : [];
  const metadata = { changed_fields: [...fields, ...lost] };
  recordApplication(deps, 'app_updated', owner, { before, after: row, metadata });
  return row;
}

/** It stays with the team when its creator leaves. Nothing changes for its users. */
export async function giveToTeam(
  deps: OAuthContext,
  owner: Owner,
  id: number,
  teamId: number,
): Promise<ApplicationRow> {
  const before = await ownApplication(deps, owner.userId, id);
  const owner_id = await deps.teams.accountOf(owner.userId, teamId);
  const row = await inTurn(deps.db, 'applications', owner_id, async (tx) => {
    if (owner_id !== before.owner_id) await requireRoomFor({ ...deps, db: tx }, owner_id);
    return changeApplication(tx, id, { owner_id, updated_at: nowSeconds(deps.clock) });
  });
  await announceApplicationChange(deps, id);
  if (!row) throw unknown();
  await deps.teams.given(row, teamId);
  const metadata = { changed_fields: ['owner'], team_id: teamId };
  recordApplication(deps, 'app_updated', owner, { before, after: row, metadata });
  return row;
}

/** Final and immediate: this single write invalidates everything the application was granted. */
export async function deleteApplication(deps: OAuthContext, owner: Owner, id: number): Promise<void> {
  await endApplication(deps, owner, await ownApplication(deps, owner.userId, id));
}

/** Together with the organisation this owner represents. Idempotent. */
export async function endApplicationsOf(deps: OAuthContext, ownerId: number, by: Owner): Promise<void> {
  for (const id of await livingApplicationsOf(deps.db, ownerId)) {
    const before = await findApplication(deps.db, { id });
    if (before?.owner_id === ownerId) await endApplication(deps, by, before);
  }
}

async function endApplication(deps: OAuthContext, by: Owner, before: ApplicationRow): Promise<void> {
  const { id } = before;
  await changed(deps, id, { status: applicationStatus.deleted, secret_hash: '' });
  recordApplication(deps, 'app_deleted', by, { before, metadata: { app_name: before.name } });
  await endAccess(deps, id);
  await inBatches((most) => deleteConsentsOf(deps.db, id, most));
}

export async function rotateSecret(deps: OAuthContext, owner: Owner, id: number): Promise<string> {
  const before = await ownApplication(deps, owner.userId, id);
  if (before.app_type === 'public') throw new AppError('invalid_request', 'A public client has no secret.');
  if (before.signs_assertions === 1)
    throw new AppError('invalid_request', 'This client authenticates with its keys. Remove them to use a secret.');
  const secret = newClientSecret();
  const row = await changed(deps, id, { secret_hash: sha256Hex(secret) });
  recordApplication(deps, 'secret_rotated', owner, { before, after: row });
  return secret;
}

export async function rotateWebhookSecret(deps: OAuthContext, owner: Owner, id: number): Promise<string> {
  const before = await ownApplication(deps, owner.userId, id);
  const secret = newWebhookSecret();
  const row = await changed(deps, id, { webhook_secret: deps.sealer.seal(secret) });
  const metadata = { changed_fields: ['webhook_secret'] };
  recordApplication(deps, 'app_updated', owner, { before, after: row, metadata });
  return secret;
}

async function changed(deps: OAuthContext, id: number, change: ApplicationChange): Promise<ApplicationRow> {
  const row = await changeApplication(deps.db, id, { ...change, updated_at: nowSeconds(deps.clock) });
  await announceApplicationChange(deps, id);
  if (!row) throw unknown();
  return row;
}
