import type { Origin } from '../../identity/audit/log.ts';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { equalDigests, sha256Hex } from '../../lib/hashing.ts';
import { inBatches } from '../../platform/db/pages.ts';
import type { Db } from '../../platform/db/tables.ts';
import { inTurn } from '../../platform/db/with-lock.ts';
import { limitKeyOfIp } from '../../platform/http/client-ip.ts';
import { announceApplicationChange } from '../announcement-tags.ts';
import { defaultRateLimit, recordApplication } from '../application.ts';
import { authMethodOf, provesClient } from '../client-auth.ts';
import type { OAuthContext } from '../context.ts';
import { newClientId, newClientSecret, newRegistrationToken } from '../credentials.ts';
import { endAccess } from '../end-access.ts';
import { applicationStatus, requireEnabled, suspended, unverified } from '../status.ts';
import {
  type ApplicationChange,
  changeApplication,
  findApplication,
  insertApplication,
} from '../store/applications.ts';
import { deleteConsentsOf } from '../store/consents.ts';
import type { ApplicationRow } from '../store/tables.ts';
import { countRegistered } from '../store/unowned.ts';
import { columnsOf, doubts, type Metadata, readMetadata, withoutNulls } from './metadata.ts';

export interface Registered {
  row: ApplicationRow;
  metadata: Metadata | null;
  /** Set if it was just generated; returned only then. */
  secret: string | null;
  registrationToken: string;
}

const dayMs = 86_400_000;
/** One address cannot use up everybody's quota; it may be a whole office. */
const mostPerDay = 100;

const badToken = (): AppError =>
  new AppError('invalid_token', 'The token is not valid for this operation.', {
    headers: { 'www-authenticate': 'Bearer realm="svc", error="invalid_token"' },
  });

const bearerIn = (authorization: string | null): string => /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';

/** RFC 7591 §3. The caller is unauthenticated, so users are told that the application is unknown. */
export async function registerClient(
  deps: OAuthContext,
  caller: { origin: Origin; authorization: string | null },
  given: Record<string, unknown>,
): Promise<Registered> {
  requireEnabled(deps.options);
  requireInitialToken(deps, caller.authorization);
  await count(deps, caller.origin.ip);
  const metadata = readMetadata(given);
  const said = saidIn(metadata);
  const secret = hasSecret(said) ? newClientSecret() : null;
  const registrationToken = newRegistrationToken();
  const now = nowSeconds(deps.clock);
  const client = {
    ...said,
    ...{ client_id: newClientId(), source: 'registration', owner_id: null },
    ...{ secret_hash: secret === null ? '' : sha256Hex(secret), registration_hash: sha256Hex(registrationToken) },
    ...{ description: '', homepage_url: '', logo_url: '', webhook_url: '', webhook_secret: '' },
    ...{ status: applicationStatus.active, is_verified: 0, rate_limit: defaultRateLimit, epoch: 0 },
    ...{ created_at: now, updated_at: now },
  };
  const row = await inTurn(deps.db, 'registeredClients', 0, async (tx) => {
    await refuseFull(tx, deps.options.get('OAuth2SelfRegisteredClients'));
    return insertApplication(tx, client);
  });
  recordApplication(deps, 'app_created', unknownUser(caller.origin), { after: row, metadata: { app_name: row.name } });
  return { row, metadata, secret, registrationToken };
}

/** §3: an initial access token, if the operator requires one. */
function requireInitialToken({ options }: OAuthContext, authorization: string | null): void {
  const wanted = options.get('OAuth2RegistrationTokenSha256');
  if (wanted !== '' && !equalDigests(sha256Hex(bearerIn(authorization)), wanted)) throw badToken();
}

async function count({ options, shared }: OAuthContext, ip: string): Promise<void> {
  if (!options.get('RateLimitEnabled')) return;
  const { allowed, resetMs } = await shared.hit(`client-registrations:${limitKeyOfIp(ip)}`, mostPerDay, dayMs);
  if (!allowed)
    throw new AppError('rate_limit_exceeded', `An IP address can register at most ${mostPerDay} clients per day.`, {
      headers: { 'retry-after': `${Math.ceil(resetMs / 1000)}` },
    });
}

async function refuseFull(db: Db, most: number): Promise<void> {
  if ((await countRegistered(db, most + 1)) >= most)
    throw new AppError('unavailable', 'No more clients can register themselves at the moment.');
}

const saidIn = (metadata: Metadata) => ({
  ...columnsOf(metadata),
  name: metadata.client_name ?? 'Unnamed client',
});

const hasSecret = (client: Parameters<typeof authMethodOf>[0]): boolean =>
  authMethodOf(client) === 'client_secret_basic';

/** Compared for unknown clients, so that both answers take the same time. */
const decoyHash = sha256Hex('no client has this token');

/** RFC 7592 §2: the client of a token; an unknown client is refused like a wrong token. */
export async function ownClient(
  { db }: Pick<OAuthContext, 'db'>,
  clientId: string,
  authorization: string | null,
): Promise<Registered> {
  const registrationToken = bearerIn(authorization);
  const row = await findApplication(db, { client_id: clientId });
  const known = row?.source === 'registration' && row.registration_hash !== '';
  const matches = equalDigests(sha256Hex(registrationToken), known ? row.registration_hash : decoyHash);
  if (!row || !known || !matches) throw badToken();
  return { row, metadata: null, secret: null, registrationToken };
}

interface ChangeDeps extends Pick<OAuthContext, 'db' | 'clock'> {
  announcements: Pick<OAuthContext['announcements'], 'changed'>;
  lookups: Pick<OAuthContext['lookups'], 'forget'>;
  origins: Pick<OAuthContext['origins'], 'changed'>;
  audit: Pick<OAuthContext['audit'], 'record'>;
}

/** RFC 7592 §2.2: replaces the metadata. */
export async function changeClient(
  deps: ChangeDeps,
  origin: Origin,
  own: Registered,
  given: Record<string, unknown>,
): Promise<Registered> {
  const { row: before, registrationToken } = own;
  if (before.status === applicationStatus.suspended) throw suspended();
  if (given.client_id !== before.client_id) throw wrong('client_id', 'must be the issued value');
  const { client_secret } = withoutNulls(given);
  if (
    client_secret !== undefined &&
    !(typeof client_secret === 'string' && provesClient(before, { secret: client_secret }))
  )
    throw wrong('client_secret', 'must be the issued value');
  const metadata = readMetadata(given);
  const said = saidIn(metadata);
  const secret = hasSecret(said) && !hasSecret(before) ? newClientSecret() : null;
  const fields = (Object.keys(said) as (keyof typeof said)[]).filter((name) => said[name] !== before[name]);
  const doubted = fields.some(doubts);
  const row = await changed(deps, before.id, {
    // Only changed fields are written: a concurrent change must not be undone, in particular not under an old
    // verification.
    ...Object.fromEntries(fields.map((name) => [name, said[name]])),
    // A secret does not survive a change of type.
    ...(!hasSecret(said) && { secret_hash: '' }),
    ...(secret !== null && { secret_hash: sha256Hex(secret) }),
    ...(doubted && unverified),
  });
  recordApplication(deps, 'app_updated', unknownUser(origin), {
    before,
    after: row,
    metadata: { changed_fields: fields },
  });
  return { row, metadata, secret, registrationToken };
}

const wrong = (param: string, what: string): AppError =>
  new AppError('invalid_client_metadata', `${param} ${what}.`, { param });

/** RFC 7592 §2.3: final and immediate, with everything it was granted. */
export async function removeClient(deps: OAuthContext, origin: Origin, { row }: Registered): Promise<void> {
  await changed(deps, row.id, { status: applicationStatus.deleted, secret_hash: '', registration_hash: '' });
  recordApplication(deps, 'app_deleted', unknownUser(origin), { before: row, metadata: { app_name: row.name } });
  await endAccess(deps, row.id);
  await inBatches((most) => deleteConsentsOf(deps.db, row.id, most));
}

async function changed(deps: ChangeDeps, id: number, change: ApplicationChange): Promise<ApplicationRow> {
  const row = await changeApplication(deps.db, id, { ...change, updated_at: nowSeconds(deps.clock) });
  await announceApplicationChange(deps, id);
  if (!row) throw badToken();
  return row;
}

/** The address is recorded. */
const unknownUser = (origin: Origin) => ({ userId: null, origin });
