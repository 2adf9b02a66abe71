import type { Announcements } from '../identity/announce.ts';
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

/** Applications that belong to teams of organisations, told by whoever knows those. */
export interface TeamApplications {
  /** Whether somebody looks after what this owner has, who stands for an organisation. */
  manages(userId: number, ownerId: number): Promise<boolean>;
  /** Who owns what is given to a team; throws unless this user may give something to it. */
  accountOf(userId: number, teamId: number): Promise<number>;
  given(application: { id: number; name: string }, teamId: number): Promise<void>;
  /** Tells who ends what an owner has, when the organisation that the owner stands for ends. */
  onEnd(end: (ownerId: number, by: { userId: number; origin: Origin }) => Promise<void>): void;
}

/** What the functions of this room work with. */
export interface Room {
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
  /** What running processes keep of a key's quota goes back to it. */
  recallKey(userId: number, keyId: number): Promise<void>;
  /** Ends a session, and tells the log. */
  logOut(userId: number, sessionId: number, origin: Origin): Promise<void>;
  /** Where pages of ours come from. */
  ownOrigins: string[];
  baseUrl: string;
  webUrl: string;
}
