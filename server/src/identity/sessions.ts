import { type Clock, nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { sha256Hex } from '../lib/hashing.ts';
import { randomString } from '../lib/ids.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Hearing } from '../platform/shared/hearing.ts';
import { type Announcements, announcedLookup } from './announce.ts';
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
/** A session slides at most this often, so that reading pages does not write rows. */
const slideSeconds = 600;

/** Somebody who has just shown their password, and which it was: checking one takes time, in which it may change. */
export interface ProvenUser {
  user: User;
  passwordHash: string;
  /** When they proved a second factor too, which the session then knows. */
  factorAt?: number;
  /** When they showed who they are, where that was earlier: a provider need not ask each time. */
  provenAt?: number;
}

export interface Sessions {
  /**
   * Makes a new session and the Set-Cookie that carries it; a new id at every login. The one that the browser had ends: nobody
   * is left with its cookie who should be. Null when the proof counts no more.
   */
  start(proven: ProvenUser, by: { ip: string; request: Request }): Promise<{ id: number; cookie: string } | null>;
  /**
   * Who the cookie belongs to, or null. Other hosts of the same domain can add cookies of our name, which browsers may send first
   * (RFC 6265 §5.4, §8.6): those that are no session say nothing, and between sessions of two users nobody is believed, so that
   * nobody is made to act in a stranger's account.
   */
  find(cookieHeader: string | null): Promise<FoundSession | null>;
  end(userId: number, id: number): Promise<boolean>;
  /** Every other one of the user's; how many went. */
  endOthers(userId: number, keptId: number): Promise<number>;
  /** All of the user's; how many went. */
  endAll(userId: number): Promise<number>;
  /** The Set-Cookie that takes the cookie away. */
  clearCookie: string;
}

export interface SessionDeps {
  db: Db;
  clock: Clock;
  announcements: Announcements;
  https: boolean;
  hearing: Hearing;
}

export function openSessions(deps: SessionDeps): Sessions {
  const { db, clock, announcements } = deps;
  const cache = announcedLookup<FoundSession>({
    ...deps,
    load: (hash) => findSession(db, hash),
    tagsOf: (found) => [`session:${found.session.id}`, `user:${found.user.id}`],
    max: 10_000,
  });
  const attributes = `Path=/; HttpOnly; SameSite=Lax${deps.https ? '; Secure' : ''}`;

  const slide = (found: FoundSession, now: number) => {
    if (now - found.session.last_seen_at < slideSeconds) return;
    found.session.last_seen_at = now;
    found.session.expires_at = now + lifetimeSeconds;
    // Off the request's path: a lost slide costs nothing.
    void touchSession(db, found.session.id, now, now + lifetimeSeconds).catch(() => {});
  };

  const living = async (token: string): Promise<FoundSession | null> => {
    const found = await cache.get(sha256Hex(token));
    return found && found.session.expires_at > nowSeconds(clock) && found.user.status === statuses.enabled
      ? found
      : null;
  };

  const announced = async (ids: number[]): Promise<number> => {
    for (const id of ids) await announcements.changed(`session:${id}`);
    return ids.length;
  };

  const find: Sessions['find'] = async (cookieHeader) => {
    const shown = await Promise.all(readCookies(cookieHeader, cookieName).slice(0, mostCookies).map(living));
    const [found, ...others] = shown.filter((one) => one !== null);
    if (!found || others.some(({ user }) => user.id !== found.user.id)) return null;
    slide(found, nowSeconds(clock));
    return found;
  };

  const end: Sessions['end'] = async (userId, id) => {
    const ended = await deleteSession(db, userId, id);
    await announcements.changed(`session:${id}`);
    return ended;
  };

  return {
    clearCookie: `${cookieName}=; Max-Age=0; ${attributes}`,
    start: async ({ user, passwordHash, factorAt = null, provenAt = null }, { ip, request: { headers } }) => {
      const before = await find(headers.get('cookie'));
      const token = randomString(48);
      const now = nowSeconds(clock);
      const session = {
        user_id: user.id,
        token_hash: sha256Hex(token),
        ip,
        user_agent: (headers.get('user-agent') ?? '').slice(0, 300),
        created_at: now,
        last_seen_at: now,
        expires_at: now + lifetimeSeconds,
        factor_at: factorAt,
        proven_at: provenAt,
      };
      const id = await insertSession(db, session, passwordHash);
      if (id === null) return null;
      if (before) await end(before.user.id, before.session.id);
      return { id, cookie: `${cookieName}=${token}; Max-Age=${lifetimeSeconds}; ${attributes}` };
    },
    find,
    end,
    endOthers: async (userId, keptId) => announced(await deleteSessions(db, userId, keptId)),
    endAll: async (userId) => announced(await deleteSessions(db, userId)),
  };
}

/** More of one name are nobody's who means well, and each is looked up. */
const mostCookies = 4;

/** What cookies of that name hold, each once; pairs without a `=` are not cookies (RFC 6265 §5.2). */
function readCookies(header: string | null, name: string): string[] {
  const values = new Set<string>();
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) values.add(pair.slice(at + 1).trim());
  }
  values.delete('');
  return [...values];
}

/** The first of them. */
export const readCookie = (header: string | null, name: string = cookieName): string | null =>
  readCookies(header, name)[0] ?? null;

/** The web app marks its calls with it: a page of another site cannot send a header that it was not allowed to. */
export const webCallHeader = 'x-svc-web';

/**
 * A cookie travels by itself, so a write that carries one must show that a page of ours sent it: where the browser names an
 * origin, our own; and where there is a body, a content type that no plain form can send, or for files, which have none, our
 * own header.
 */
export function refuseForgery(request: Request, origins: string[]): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const { headers } = request;
  const type = (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  const files = type === 'multipart/form-data' && headers.get(webCallHeader) === '1';
  if (type !== 'application/json' && !files && hasBody(request))
    throw new AppError('unsupported_media_type', 'Send writes with Content-Type: application/json.');
  const origin = headers.get('origin');
  const foreign = origin === null ? isFromElsewhere(headers) : !origins.includes(origin);
  if (!foreign) return;
  if (origin !== null && isOfHost(origin, headers.get('host')))
    throw new AppError(
      'forbidden',
      `This page was opened at ${origin}, but the service is set up for ${origins.at(-1)}. Open it there, or have the operator set BASE_URL to the address that people use.`,
    );
  throw new AppError('forbidden', 'This request comes from another site.');
}

/** A page that was loaded from here by another name than ours: refused like any other, but then the name may be what is wrong. */
const isOfHost = (origin: string, host: string | null): boolean => URL.parse(origin)?.host === host;

/** Browsers that name no origin say at least where a request comes from; programs say neither. */
const isFromElsewhere = (headers: Headers): boolean =>
  !['same-origin', 'none', null].includes(headers.get('sec-fetch-site'));

/** RFC 9112 §6.3: told by either header; a request that came over no wire has neither. */
function hasBody({ headers, body }: Request): boolean {
  const length = headers.get('content-length');
  return length === null ? headers.has('transfer-encoding') || body !== null : Number(length) !== 0;
}
