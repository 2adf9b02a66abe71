import { type Clock, nowSeconds } from '../lib/clock.ts';
import type { Sealer } from '../lib/seal.ts';
import { inBatches, sweepBatches } from '../platform/db/pages.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Route } from '../platform/http/route.ts';
import type { Log } from '../platform/log.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { AccountDeps } from './accounts.ts';
import { type Announcements, openAnnouncements } from './announcements.ts';
import type { AuditLog } from './audit/log.ts';
import { deleteOldAudit } from './audit/store.ts';
import { authenticatorsOf, type TokenReader } from './authenticators.ts';
import { type ClientSecrets, openClientSecrets } from './client-secrets.ts';
import type { FactorDeps } from './factors/deps.ts';
import { mayAdminister, openFactorLookup } from './factors/required.ts';
import { type Asked, requireRecentFactor } from './factors/step-up.ts';
import { type KeyLookup, openKeyLookup, type PlaceOfKey } from './key-lookup.ts';
import type { KeyDeps } from './keys.ts';
import type { LinkDeps } from './links/deps.ts';
import type { Mailer } from './mails/mailer.ts';
import { type Options, openOptions } from './options.ts';
import { openPermits, type Permits } from './permits.ts';
import { accountRoutes } from './routes/account.ts';
import { adminRoutes } from './routes/admin.ts';
import { auditRoute } from './routes/audit.ts';
import { factorRoutes } from './routes/factors.ts';
import { invitationRoutes } from './routes/invitations.ts';
import { keyRoutes } from './routes/keys.ts';
import { linkRoutes } from './routes/links.ts';
import { noticeRoutes } from './routes/notices.ts';
import { passkeySignInRoutes } from './routes/passkey-sign-in.ts';
import { passkeyRoutes } from './routes/passkeys.ts';
import { peopleRoutes } from './routes/people.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { stepUpRoutes } from './routes/step-up.ts';
import { openSessions } from './sessions.ts';
import { openSignIn } from './sign-in/open.ts';
import type { Vouching } from './sign-in/vouching.ts';
import { deleteOldNotices } from './store/notices.ts';
import { deleteExpiredOneTime } from './store/one-time.ts';
import { deleteExpiredSessions } from './store/sessions.ts';

export interface Identity {
  options: Options;
  announcements: Announcements;
  keys: KeyLookup;
  permits: Permits;
  clientSecrets: ClientSecrets;
  accounts: AccountDeps;
  authenticators: ReturnType<typeof authenticatorsOf>;
  /** Registers access tokens as an alternative to keys. */
  acceptTokens(reader: TokenReader): void;
  /** Registers what may refuse a key. */
  acceptPlaces(placeOf: PlaceOfKey): void;
  routes: Route[];
  /** Identity providers that vouch for their users at other servers. */
  vouching: Vouching;
  /** Throws unless the session proved its second factor recently. */
  requireRecentFactor(asked: Asked): Promise<void>;
  /** Ends expired data, a bounded number at a time. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

const daySeconds = 86_400;
/** After half a year, other news matter more. */
const noticeDays = 180;

export async function openIdentity(deps: {
  db: Db;
  shared: Shared;
  clock: Clock;
  audit: AuditLog;
  sealer: Sealer;
  mailer: Mailer | null;
  log: Log;
  baseUrl: string;
  webUrl: string;
  optionDefaults: Record<string, number | boolean>;
  cacheSync: CacheSync;
  heldBy: AccountDeps['heldBy'];
  recallKey: KeyDeps['recallKey'];
  allowPrivateAddresses: boolean;
}): Promise<Identity> {
  const { db, shared, clock, audit, cacheSync } = deps;
  const origins = [...new Set([new URL(deps.baseUrl).origin, new URL(deps.webUrl).origin])];
  const announcements = await openAnnouncements(shared, cacheSync);
  const options = await openOptions({ db, shared, cacheSync, clock, defaults: deps.optionDefaults });
  const https = deps.baseUrl.startsWith('https:');
  const sessions = openSessions({ db, clock, announcements, https, cacheSync });
  let placeOf: PlaceOfKey = () => ({ refusal: null, tags: [] });
  const knowing = { db, clock, announcements, cacheSync, placeOf: (keyId: number) => placeOf(keyId) };
  const keys = openKeyLookup(knowing);
  const permits = openPermits(knowing);
  const clientSecrets = openClientSecrets(deps);
  const { heldBy, recallKey } = deps;
  const accounts: AccountDeps = { db, shared, clock, options, sessions, announcements, audit, heldBy, recallKey };
  const { sealer, log, webUrl, mailer, allowPrivateAddresses: allowPrivate } = deps;
  const factors: FactorDeps = { ...accounts, sealer, webUrl };
  const links: LinkDeps = { ...accounts, webUrl, mailer, log };
  const hasFactor = openFactorLookup({ ...accounts, cacheSync });
  let tokens: TokenReader | null = null;
  const signIn = openSignIn({ ...factors, ...links, https, allowPrivate }, origins);
  return {
    options,
    announcements,
    keys,
    permits,
    clientSecrets,
    accounts,
    authenticators: authenticatorsOf({
      ...{ sessions, keys, origins, clientSecrets, tokens: () => tokens },
      mayAdminister: (user) => mayAdminister(accounts, hasFactor, user),
    }),
    acceptTokens: (reader) => {
      tokens = reader;
    },
    acceptPlaces: (given) => {
      placeOf = given;
    },
    routes: [
      ...signInRoutes(factors, origins),
      ...accountRoutes(links),
      ...passkeySignInRoutes(factors, origins),
      ...factorRoutes({ ...factors, ...links }),
      ...passkeyRoutes({ ...factors, ...links }),
      ...stepUpRoutes(factors),
      ...linkRoutes(links, origins),
      ...invitationRoutes(links),
      ...noticeRoutes(accounts),
      ...keyRoutes(accounts),
      ...adminRoutes(links),
      ...peopleRoutes(links),
      auditRoute(accounts),
      ...signIn.routes,
    ],
    vouching: signIn.vouching,
    requireRecentFactor: (asked) => requireRecentFactor(factors, asked),
    sweep: async () => {
      const now = nowSeconds(clock);
      await inBatches((most) => deleteExpiredSessions(db, now, most), sweepBatches);
      await signIn.sweep();
      await inBatches((most) => deleteExpiredOneTime(db, now, most), sweepBatches);
      await inBatches((most) => deleteOldNotices(db, now - noticeDays * daySeconds, most), sweepBatches);
      const oldest = now - options.get('AuditLogDays') * daySeconds;
      await inBatches((most) => deleteOldAudit(db, oldest, most), sweepBatches);
    },
    stop: async () => {
      await keys.stop();
      await options.close();
      await announcements.close();
    },
  };
}
