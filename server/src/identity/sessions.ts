import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { randomString } from '../lib/ids.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Call } from '../platform/http/route.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import { type Announcements, invalidatedLookup } from './announcements.ts';
import {
  deleteSession,
  deleteSessions,
  type FoundSession,
  findSession,
  insertSession,
  touchSession,
} from './store/sessions.ts';
import { statuses, type User } from './user.ts';

export const cookieName = 'svc_session';
const lifetimeSeconds = 30 * 86_400;
/** A session is extended at most this often, so that viewing pages does not write rows. */
const slideSeconds = 600;

/** A user who showed their password, and its hash: it may change while it is being checked. */
export interface ProvenUser {
  user: User;
  passwordHash: string;
  /** When they proved a second factor, recorded in the session. */
  factorAt?: number;
  /** When they authenticated, if that was earlier: a provider need not ask each time. */
  provenAt?: number;
}

/** A request, and the headers of its answer. */
type Visit = Pick<Call, 'request' | 'headers'>;

export interface Sessions {
  /**
   * Creates a session and its Set-Cookie, with a new id for every login. The browser's previous session ends. Null if
   * the proof is no longer valid.
   */
  start(proven: ProvenUser, by: Visit & Pick<Call, 'ip'>): Promise<{ id: number; cookie: string } | null>;
  /**
   * The cookie's user, or null. Sibling hosts can set cookies of our name, which browsers may send first (RFC 6265
   * §5.4, §8.6): invalid ones are ignored, and with sessions of two users neither is accepted, so that nobody acts in a
   * stranger's account. If the session was extended, the answer's headers extend the browser's cookie too.
   */
  find(call: Visit): Promise<FoundSession | null>;
  end(userId: number, id: number): Promise<boolean>;
  /** All other sessions of the user; returns how many. */
  endOthers(userId: number, keptId: number): Promise<number>;
  /** All sessions of the user; returns how many. */
  endAll(userId: number): Promise<number>;
  /** Before a session ends because its user has logged in again in the same browser: what lives on moves along. */
  onContinued(move: (before: number, after: number) => Promise<void>): void;
  /** The Set-Cookie that deletes the cookie. */
  clearCookie: string;
}

export interface SessionDeps {
  db: Db;
  clock: Clock;
  announcements: Announcements;
  https: boolean;
  cacheSync: CacheSync;
}

export function openSessions(deps: SessionDeps): Sessions {
  const { db, clock, announcements } = deps;
  const cache = invalidatedLookup<FoundSession>({
    ...deps,
    load: (hash) => findSession(db, hash),
    tagsOf: (found) => [`session:${found.session.id}`, `user:${found.user.id}`],
    max: 10_000,
  });
  const continued: Parameters<Sessions['onContinued']>[0][] = [];
  const attributes = `Path=/; HttpOnly; SameSite=Lax${deps.https ? '; Secure' : ''}`;

  const cookieWith = (token: string) => `${cookieName}=${token}; Max-Age=${lifetimeSeconds}; ${attributes}`;

  const slide = ({ session, token }: FoundSession & { token: string }, headers: Visit['headers'], now: number) => {
    if (now - session.last_seen_at < slideSeconds) return;
    session.last_seen_at = now;
    session.expires_at = now + lifetimeSeconds;
    headers['set-cookie'] = cookieWith(token);
    // Off the request path: a lost extension does no harm.
    void touchSession(db, session.id, now, session.expires_at).catch(() => {});
  };

  const living = async (token: string): Promise<(FoundSession & { token: string }) | null> => {
    const found = await cache.get(sha256Hex(token));
    return found && found.session.expires_at > nowSeconds(clock) && found.user.status === statuses.enabled
      ? { ...found, token }
      : null;
  };

  const announced = async (ids: number[]): Promise<number> => {
    for (const id of ids) await announcements.changed(`session:${id}`);
    return ids.length;
  };

  const find: Sessions['find'] = async ({ request, headers }) => {
    const cookies = readCookies(request.headers.get('cookie'), cookieName);
    const shown = await Promise.all(cookies.slice(0, mostCookies).map(living));
    const [found, ...others] = shown.filter((one) => one !== null);
    if (!found || others.some(({ user }) => user.id !== found.user.id)) return null;
    slide(found, headers, nowSeconds(clock));
    return found;
  };

  const end: Sessions['end'] = async (userId, id) => {
    const ended = await deleteSession(db, userId, id);
    await announcements.changed(`session:${id}`);
    return ended;
  };

  return {
    clearCookie: `${cookieName}=; Max-Age=0; ${attributes}`,
    start: async ({ user, passwordHash, factorAt = null, provenAt = null }, call) => {
      const before = await find(call);
      const token = randomString(48);
      const now = nowSeconds(clock);
      const session = {
        user_id: user.id,
        token_hash: sha256Hex(token),
        ip: call.ip,
        user_agent: (call.request.headers.get('user-agent') ?? '').slice(0, 300),
        created_at: now,
        last_seen_at: now,
        expires_at: now + lifetimeSeconds,
        factor_at: factorAt,
        proven_at: provenAt,
      };
      const id = await insertSession(db, session, passwordHash);
      if (id === null) return null;
      if (before?.user.id === user.id) for (const move of continued) await move(before.session.id, id);
      if (before) await end(before.user.id, before.session.id);
      return { id, cookie: cookieWith(token) };
    },
    find,
    end,
    onContinued: (move) => void continued.push(move),
    endOthers: async (userId, keptId) => announced(await deleteSessions(db, userId, keptId)),
    endAll: async (userId) => announced(await deleteSessions(db, userId)),
  };
}

/** More of one name are an attack, and each is looked up. */
const mostCookies = 4;

/** Distinct values of cookies of that name; pairs without `=` are ignored (RFC 6265 §5.2). */
function readCookies(header: string | null, name: string): string[] {
  const values = new Set<string>();
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) values.add(pair.slice(at + 1).trim());
  }
  values.delete('');
  return [...values];
}

/** The first one. */
export const readCookie = (header: string | null, name: string = cookieName): string | null =>
  readCookies(header, name)[0] ?? null;

/** Sent by the web app: other sites cannot send custom headers. */
export const webCallHeader = 'x-svc-web';

/**
 * CSRF protection: browsers send cookies automatically, so a write with a cookie must come from our page: its Origin,
 * if sent, must be ours, and a body must have a content type that plain forms cannot send or, for files, our own
 * header.
 */
export function refuseForgery(request: Request, origins: string[]): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const { headers } = request;
  const type = (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  const files = type === 'multipart/form-data' && headers.get(webCallHeader) === '1';
  if (type !== 'application/json' && !files && hasBody(request))
    throw new AppError('unsupported_media_type', 'Send write requests with Content-Type: application/json.');
  const origin = headers.get('origin');
  const foreign = origin === null ? isFromElsewhere(headers) : !origins.includes(origin);
  if (!foreign) return;
  if (origin !== null && isOfHost(origin, headers.get('host')))
    throw new AppError(
      'forbidden',
      `This page was opened at ${origin}, but the service is configured for ${origins.at(-1)}. Open it there, or ask the operator to set BASE_URL to the address in use.`,
    );
  throw new AppError('forbidden', 'This request comes from another site.');
}

/** Sent by the web app: the id of the user whose account its page shows. */
const shownUserHeader = 'x-svc-user';

/** With two tabs and two accounts, a page may still show the other one: what it asks for is not for this one. */
export function refuseOtherUser({ headers }: Request, userId: number): void {
  const shown = headers.get(shownUserHeader);
  if (shown !== null && shown !== `${userId}`)
    throw new AppError('not_logged_in', 'Another user has logged in in this browser. Check the account and try again.');
}

/** A page loaded from here under another host name: refused too, but the name may be what is misconfigured. */
const isOfHost = (origin: string, host: string | null): boolean => URL.parse(origin)?.host === host;

/** Browsers without an Origin header send Sec-Fetch-Site; programs send neither. */
const isFromElsewhere = (headers: Headers): boolean =>
  !['same-origin', 'none', null].includes(headers.get('sec-fetch-site'));

/** RFC 9112 §6.3: indicated by either header; in-process requests have neither. */
function hasBody({ headers, body }: Request): boolean {
  const length = headers.get('content-length');
  return length === null ? headers.has('transfer-encoding') || body !== null : Number(length) !== 0;
}
