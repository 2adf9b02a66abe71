import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { offsetOf, type Page } from '../platform/http/paging.ts';
import type { ApplicationInput, NewApplication } from './application.ts';
import { newClientId, newClientSecret, newWebhookSecret } from './credentials.ts';
import type { Origin } from './origin.ts';
import type { Room } from './room.ts';
import { registeredScopes } from './scopes.ts';
import { applicationStatus } from './status.ts';
import {
  type ApplicationChange,
  changeApplication,
  findApplication,
  insertApplication,
  listOwned,
} from './store/applications.ts';
import { deleteConsentsOf } from './store/consents.ts';
import type { ApplicationRow } from './store/tables.ts';

export interface Owner {
  userId: number;
  origin: Origin;
}

/** Spec §2.3. */
const defaultRateLimit = 1000;
const consentBatch = 500;

const unknown = (): AppError => new AppError('not_found', 'There is no such application.');

/** 404 before 403: what is deleted is nobody's any more. */
export async function ownApplication(deps: Room, userId: number, id: number): Promise<ApplicationRow> {
  const row = await findApplication(deps.db, { id });
  if (!row) throw unknown();
  if (row.owner_id !== userId) throw new AppError('access_denied', 'This application belongs to somebody else.');
  return row;
}

export async function ownApplications(
  deps: Room,
  userId: number,
  page: Page,
): Promise<{ rows: ApplicationRow[]; total: number }> {
  return listOwned(deps.db, userId, page.page_size, offsetOf(page));
}

/** The secret is in the answer and nowhere else; a public client has none. */
export async function createApplication(
  deps: Room,
  owner: Owner,
  input: NewApplication,
): Promise<{ row: ApplicationRow; secret: string }> {
  const allowed_scopes = registeredScopes(input.scopes, deps.options.get('OAuth2AllowedScopes'));
  const secret = input.app_type === 'confidential' ? newClientSecret() : '';
  const now = nowSeconds(deps.clock);
  const { scopes: _, redirect_uris, ...plain } = input;
  const row = await insertApplication(deps.db, {
    ...plain,
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
  });
  record(deps, 'app_created', owner, row.id, { app_name: row.name });
  return { row, secret };
}

export async function updateApplication(
  deps: Room,
  owner: Owner,
  id: number,
  input: ApplicationInput,
): Promise<ApplicationRow> {
  const before = await ownApplication(deps, owner.userId, id);
  const { scopes, redirect_uris, ...plain } = input;
  const wanted: ApplicationChange = {
    ...plain,
    ...(scopes !== undefined && {
      allowed_scopes: registeredScopes(scopes, deps.options.get('OAuth2AllowedScopes')),
    }),
    ...(redirect_uris && { redirect_uris: JSON.stringify(redirect_uris) }),
  };
  const changed = (Object.keys(wanted) as (keyof typeof wanted & keyof ApplicationRow)[]).filter(
    (name) => wanted[name] !== undefined && wanted[name] !== before[name],
  );
  if (changed.length === 0) return before;
  // A secret outlives neither kind of client: a public one has none, a confidential one draws its own by rotating.
  if (changed.includes('app_type')) wanted.secret_hash = '';
  const row = await changeApplication(deps.db, id, { ...wanted, updated_at: nowSeconds(deps.clock) });
  if (!row) throw unknown();
  record(deps, 'app_updated', owner, id, { changed_fields: changed });
  return row;
}

/** Final and at once: whatever the application was given counts no more from this one write on. */
export async function deleteApplication(deps: Room, owner: Owner, id: number): Promise<void> {
  const { name } = await ownApplication(deps, owner.userId, id);
  const change = { status: applicationStatus.deleted, secret_hash: '', updated_at: nowSeconds(deps.clock) };
  if (!(await changeApplication(deps.db, id, change))) throw unknown();
  record(deps, 'app_deleted', owner, id, { app_name: name });
  while ((await deleteConsentsOf(deps.db, id, consentBatch)) === consentBatch) await new Promise(setImmediate);
}

export async function rotateSecret(deps: Room, owner: Owner, id: number): Promise<string> {
  const { app_type } = await ownApplication(deps, owner.userId, id);
  if (app_type === 'public') throw new AppError('invalid_request', 'A public client has no secret.');
  const secret = newClientSecret();
  const change = { secret_hash: sha256Hex(secret), updated_at: nowSeconds(deps.clock) };
  if (!(await changeApplication(deps.db, id, change))) throw unknown();
  record(deps, 'secret_rotated', owner, id, {});
  return secret;
}

export async function rotateWebhookSecret(deps: Room, owner: Owner, id: number): Promise<string> {
  await ownApplication(deps, owner.userId, id);
  const secret = newWebhookSecret();
  const change = { webhook_secret: deps.sealer.seal(secret), updated_at: nowSeconds(deps.clock) };
  if (!(await changeApplication(deps.db, id, change))) throw unknown();
  record(deps, 'app_updated', owner, id, { changed_fields: ['webhook_secret'] });
  return secret;
}

function record(
  deps: Room,
  event: Parameters<Room['audit']['record']>[0],
  owner: Owner,
  applicationId: number,
  metadata: Record<string, unknown>,
): void {
  deps.audit.record(event, owner.origin, { application_id: applicationId, user_id: owner.userId, metadata });
}
