import type { Announcements } from '../../identity/announcements.ts';
import { nowhere } from '../../identity/audit/log.ts';
import type { Options } from '../../identity/options.ts';
import { type Clock, nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import type { Db } from '../../platform/db/tables.ts';
import { limitKeyOfIp } from '../../platform/http/client-ip.ts';
import type { sendGuarded } from '../../platform/http/outgoing.ts';
import type { Shared } from '../../platform/shared/port.ts';
import { announceApplicationChange } from '../announcement-tags.ts';
import { defaultRateLimit, recordApplication } from '../application.ts';
import type { Audit } from '../audit.ts';
import { type Budget, countFetch } from '../fetch-json.ts';
import type { Origins } from '../origins.ts';
import { applicationStatus, readsDocuments, takesPart, unverified } from '../status.ts';
import { changeApplication, findApplication, findApplicationNow } from '../store/applications.ts';
import type { Lookups } from '../store/lookups.ts';
import type { ApplicationRow } from '../store/tables.ts';
import { deleteOldestUnused, insertUnlessThere } from '../store/unowned.ts';
import { type ClientDocument, documentUrl, readDocument } from './document.ts';
import { columnsOf, doubts } from './metadata.ts';

/** Applications, including unregistered ones described by a document. */
export interface ClientDocuments {
  /** The application of a client id, with its document fetched again if due; null if there is none. */
  client(clientId: string): Promise<ApplicationRow | null>;
  /** The same without fetching. */
  known(clientId: string): Promise<ApplicationRow | null>;
  /** The same for a client that calls from this address without a user: fetches little. */
  presented(clientId: string, ip: string): Promise<ApplicationRow | null>;
}

interface Deps {
  db: Db;
  clock: Clock;
  shared: Shared;
  options: Options;
  lookups: Lookups;
  origins: Pick<Origins, 'changed'>;
  announcements: Pick<Announcements, 'changed'>;
  audit: Audit;
  allowPrivate: boolean;
  send: typeof sendGuarded;
}

/** A failed document is not fetched again so soon, so that repeated requests cannot cause traffic. */
const failedMs = 60_000;

/** Limits fetches, so that we cannot be used to attack another server. */
const forPeople = ({ host }: URL): Budget[] => [
  { key: `client-documents:${host}`, most: 10 },
  { key: 'client-documents', most: 120 },
];
/** Anyone can call as a client: this budget is separate from that of signed-in users. */
const forClients = ({ host }: URL, ip: string): Budget[] => [
  { key: `presented-documents:address:${limitKeyOfIp(ip)}`, most: 10 },
  { key: `presented-documents:host:${host}`, most: 3 },
  { key: 'presented-documents', most: 30 },
];
/** Rows of clients nobody has allowed; the oldest are deleted, and read again on demand. */
const mostUnused = 1_000;

export function openClientDocuments(deps: Deps): ClientDocuments {
  /** Concurrent readers of a kind share one fetch: users must not wait for a client whose budget is exhausted. */
  const reading: Record<'people' | 'clients', Map<string, Promise<ApplicationRow>>> = {
    people: new Map(),
    clients: new Map(),
  };
  const readOnce = (among: keyof typeof reading, url: URL, budgets: Budget[]): Promise<ApplicationRow> => {
    const known = reading[among].get(url.href);
    if (known) return known;
    const mine = readAnew(deps, url, budgets).finally(() => reading[among].delete(url.href));
    reading[among].set(url.href, mine);
    return mine;
  };
  const known = async (clientId: string) => {
    const row = await findApplicationNow(deps.db, { client_id: clientId });
    return row && takesPart(deps.options, row) ? row : null;
  };
  /** The document to fetch; null if the cached one will do. */
  const due = (clientId: string, row: ApplicationRow | null): URL | null => {
    const url = readsDocuments(deps.options) ? documentUrl(clientId, deps.allowPrivate) : null;
    if (!url || row?.status === applicationStatus.suspended) return null;
    return row && isFresh(deps, row) ? null : url;
  };
  return {
    known,
    client: async (clientId) => {
      const row = await known(clientId);
      const url = due(clientId, row);
      return url ? readOnce('people', url, forPeople(url)) : row;
    },
    presented: async (clientId, ip) => {
      const row = await known(clientId);
      const url = due(clientId, row);
      if (!url) return row;
      return readOnce('clients', url, forClients(url, ip)).catch((error: unknown) => {
        // The cached version will do for now: it is fetched again when the user comes.
        if (row && error instanceof AppError && error.code === 'rate_limit_exceeded') return row;
        throw error;
      });
    },
  };
}

const isFresh = ({ clock }: Deps, { document_expires_at }: ApplicationRow): boolean =>
  document_expires_at !== null && document_expires_at > nowSeconds(clock);

async function readAnew(deps: Deps, url: URL, budgets: Budget[]): Promise<ApplicationRow> {
  // Another reader may have stored it a moment ago.
  const before = await findApplication(deps.db, { client_id: url.href });
  if (before && isFresh(deps, before)) return before;
  const failed = `client-document:${sha256Hex(url.href)}`;
  // Without the shared store every process reads for itself.
  const fault = await deps.shared.get(failed).catch(() => null);
  if (fault !== null) throw new AppError('invalid_request', fault, { param: 'client_id' });
  for (const budget of budgets) await countFetch(deps, budget);
  const document = await readDocument(deps, url).catch(async (error: unknown) => {
    if (error instanceof AppError) await deps.shared.set(failed, error.message, failedMs).catch(() => {});
    throw error;
  });
  return kept(deps, url, document, before);
}

/** What a document determines. */
type Said = ReturnType<typeof columnsOf> & Pick<ApplicationRow, 'name' | 'homepage_url'>;

async function kept(
  deps: Deps,
  url: URL,
  { metadata, seconds }: ClientDocument,
  before: ApplicationRow | null,
): Promise<ApplicationRow> {
  const now = nowSeconds(deps.clock);
  const document_expires_at = now + seconds;
  const said: Said = {
    ...columnsOf(metadata),
    name: metadata.client_name ?? url.host,
    // Another site's address would lend its name undeserved trust.
    homepage_url: URL.parse(metadata.client_uri ?? '')?.origin === url.origin ? metadata.client_uri! : '',
  };
  if (before) return changed(deps, before, said, document_expires_at);
  const made = await insertUnlessThere(deps.db, {
    ...said,
    ...{ client_id: url.href, source: 'document', owner_id: null, secret_hash: '' },
    // An image would reveal every viewer to its author, and may show anything.
    ...{ description: '', logo_url: '', webhook_url: '', webhook_secret: '' },
    ...{ status: applicationStatus.active, is_verified: 0, rate_limit: defaultRateLimit, epoch: 0 },
    ...{ document_expires_at, created_at: now, updated_at: now },
  });
  if (made) {
    const metadata = { app_name: made.name, client_id: made.client_id };
    recordApplication(deps, 'app_created', author, { after: made, metadata });
    if ((await deleteOldestUnused(deps.db, mostUnused)) > 0) deps.lookups.forget();
    return made;
  }
  const other = await findApplication(deps.db, { client_id: url.href });
  if (!other) throw new AppError('not_found', 'There is no application with this client_id.');
  return other;
}

/** The new content applies at once, and an administrator's verification was for the old one. */
async function changed(
  deps: Deps,
  before: ApplicationRow,
  said: Said,
  document_expires_at: number,
): Promise<ApplicationRow> {
  const fields = (Object.keys(said) as (keyof Said)[]).filter((name) => said[name] !== before[name]);
  const doubted = fields.some(doubts);
  const after = await changeApplication(deps.db, before.id, {
    document_expires_at,
    // Only changed columns, as another reader may have newer ones.
    ...Object.fromEntries(fields.map((name) => [name, said[name]])),
    ...(fields.length > 0 && { updated_at: nowSeconds(deps.clock) }),
    ...(doubted && unverified),
  });
  if (!after) throw new AppError('not_found', 'There is no application with this client_id.');
  if (fields.length === 0) return after;
  await announceApplicationChange(deps, before.id);
  recordApplication(deps, 'app_updated', author, { before, after, metadata: { changed_fields: fields } });
  return after;
}

/** Without user and address: the document's author is not the caller. */
const author = { userId: null, origin: nowhere };
