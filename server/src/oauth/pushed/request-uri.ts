import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { randomString } from '../../lib/ids.ts';
import type { OAuthContext } from '../context.ts';
import { findPushed, keepPushed, type PushedRow } from '../store/pushed-requests.ts';

/** RFC 9126 §2.2; followed by 256 random bits. */
const start = 'urn:ietf:params:oauth:request_uri:';
const randomLength = 43;

/** A client redirects the browser at once. */
export const pushedSeconds = 60;
/** Since the request was pushed; people log in, use a second factor and read before they answer. */
const openedSeconds = 600;

type Deps = Pick<OAuthContext, 'db' | 'clock'>;

export const newRequestUri = (): string => `${start}${randomString(randomLength)}`;

/** Only our own; others would point to somebody's server and are not fetched. */
export const isRequestUri = (text: string | undefined): text is string => text?.startsWith(start) ?? false;

/** The same for every reason, so that guessing reveals nothing. */
export const invalidRequestUri = (): AppError =>
  new AppError('invalid_request_uri', 'request_uri is unknown, already used or expired.', { param: 'request_uri' });

/** RFC 9126 §4: of the client that pushed it, unused and not expired. */
export async function requestBehind(deps: Deps, application: { id: number }, uri: string): Promise<PushedRow> {
  const row = uri.length === start.length + randomLength ? await findPushed(deps.db, sha256Hex(uri)) : null;
  if (!row || row.application_id !== application.id || row.used_at !== null || row.expires_at <= nowSeconds(deps.clock))
    throw invalidRequestUri();
  return row;
}

/**
 * Extends the lifetime once the page was opened. Opening does not consume it, since pages are reloaded and revisited
 * after a login (§4 leaves that open); an answer does.
 */
export async function keepOpen({ db }: Deps, row: PushedRow): Promise<void> {
  const until = row.created_at + openedSeconds;
  if (row.expires_at < until) await keepPushed(db, row.id, until);
}
