import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { randomString } from '../../lib/ids.ts';
import type { Room } from '../room.ts';
import { findPushed, keepPushed, type PushedRow } from '../store/pushed-requests.ts';

/** RFC 9126 §2.2; what follows it is 256 random bits. */
const start = 'urn:ietf:params:oauth:request_uri:';
const randomLength = 43;

/** A client sends the browser on at once. */
export const pushedSeconds = 60;
/** Since the request was pushed; people log in, look up their second factor and read before they answer. */
const openedSeconds = 600;

type Deps = Pick<Room, 'db' | 'clock'>;

export const newRequestUri = (): string => `${start}${randomString(randomLength)}`;

/** Of ours; others, which lead to somebody's server, are not fetched. */
export const isRequestUri = (text: string | undefined): text is string => text?.startsWith(start) ?? false;

/** Told alike whatever is wrong, so that whoever tries addresses learns nothing by it. */
export const invalidRequestUri = (): AppError =>
  new AppError('invalid_request_uri', 'request_uri is unknown, was used, or has expired.', { param: 'request_uri' });

/** RFC 9126 §4: of the client that pushed it, not used, not run out. */
export async function requestBehind(deps: Deps, application: { id: number }, uri: string): Promise<PushedRow> {
  const row = uri.length === start.length + randomLength ? await findPushed(deps.db, sha256Hex(uri)) : null;
  if (!row || row.application_id !== application.id || row.used_at !== null || row.expires_at <= nowSeconds(deps.clock))
    throw invalidRequestUri();
  return row;
}

/**
 * The page was opened in time: the user may take longer. It is not used up by that, since pages are reloaded and come back
 * after a login (§4 leaves that open); it is used up by an answer.
 */
export async function keepOpen({ db }: Deps, row: PushedRow): Promise<void> {
  const until = row.created_at + openedSeconds;
  if (row.expires_at < until) await keepPushed(db, row.id, until);
}
