import type { Announcements } from '../identity/announcements.ts';
import type { Origin } from '../identity/audit/log.ts';
import type { Options } from '../identity/options.ts';
import type { Sessions } from '../identity/sessions.ts';
import type { Clock } from '../lib/clock.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Log } from '../platform/log.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { KeyAddresses } from './assertion/key-addresses.ts';
import type { Audit } from './audit.ts';
import type { TokensUsed } from './last-used.ts';
import type { SigningKeys } from './openid/signing-keys.ts';
import type { Origins } from './origins.ts';
import type { ClientDocuments } from './registration/client-documents.ts';
import type { Resources } from './resources.ts';
import type { Approvals } from './store/approve.ts';
import type { Issuer } from './store/issue.ts';
import type { Lookups } from './store/lookups.ts';
import type { Webhooks } from './webhooks.ts';

/** Applications of organisations' teams. */
export interface TeamApplications {
  /** Whether a user manages what this organisation account owns. */
  manages(userId: number, ownerId: number): Promise<boolean>;
  /** The owner of what is given to a team; throws unless this user may do so. */
  accountOf(userId: number, teamId: number): Promise<number>;
  given(application: { id: number; name: string }, teamId: number): Promise<void>;
  /** Registers how an owner's applications end with their organisation. */
  onEnd(end: (ownerId: number, by: { userId: number; origin: Origin }) => Promise<void>): void;
}

/** Shared dependencies of this room. */
export interface OAuthContext {
  db: Db;
  clock: Clock;
  log: Log;
  options: Options;
  shared: Shared;
  announcements: Announcements;
  sealer: Sealer;
  lookups: Lookups;
  origins: Origins;
  approvals: Approvals;
  issuer: Issuer;
  nextTokenId(nowMs: number): number;
  signingKeys: SigningKeys;
  resources: Resources;
  documents: ClientDocuments;
  keyAddresses: KeyAddresses;
  audit: Audit;
  webhooks: Webhooks;
  lastUsed: TokensUsed;
  sessions: Sessions;
  teams: TeamApplications;
  /** Returns unused allotments of a key's quota. */
  recallKey(userId: number, keyId: number): Promise<void>;
  /** Ends a session, and audits it. */
  logOut(userId: number, sessionId: number, origin: Origin): Promise<void>;
  /** Origins of our own pages. */
  ownOrigins: string[];
  baseUrl: string;
  webUrl: string;
}
