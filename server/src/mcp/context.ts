import type { Vouching } from '../identity/sign-in/vouching.ts';
import type { Clock } from '../lib/clock.ts';
import type { LingerTimer } from '../lib/linger-timer.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import type { Log } from '../platform/log.ts';
import type { CacheSync } from '../platform/shared/cache-sync.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { UpstreamConnections } from '../platform/upstream/connections.ts';
import type { ApplicationNames } from './asker.ts';
import type { CalledTool, ToolPayments } from './called-tool.ts';
import type { RevokeTokens } from './grant.ts';
import type { McpCache } from './mcp-cache.ts';
import type { Memberships } from './memberships.ts';
import type { SentTokens } from './sent-tokens.ts';
import type { Sessions } from './sessions.ts';
import type { McpServer } from './store/servers.ts';
import type { OwnTokens, UserTokens } from './target.ts';

export interface McpDeps {
  db: Db;
  sealer: Sealer;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  allowPrivate: boolean;
  /** Only `fetch` can be used for outgoing requests. */
  fetchOnly?: boolean | undefined;
  baseUrl: string;
  /** The directory in which the platform writes tokens that the service exchanges; absent if there is none. */
  assertionsDir?: string | undefined;
  /**
   * Whether we identify ourselves by our metadata document at authorization servers that support it, instead of
   * registering.
   */
  namedByDocument(): boolean;
  /** Organisations, whose members use the servers connected for them. */
  memberships: Memberships;
  applicationNames: ApplicationNames;
  /** Identity providers that vouch for users at servers. */
  vouching: Vouching;
  /** The address of the web pages. */
  webUrl: string;
  shared: Pick<Shared, 'hit' | 'publish' | 'subscribe'>;
  cacheSync: CacheSync;
  money: ToolPayments;
  /** Records a call in usage, the audit log, metrics and traces. */
  note(called: CalledTool): void;
}

/** Dependencies shared by the functions in this folder. */
export interface McpContext extends Omit<McpDeps, 'fetchOnly'> {
  /** Connections to servers; absent if only `fetch` can be used. */
  lines: UpstreamConnections | undefined;
  /** Watches calls to servers that take long. */
  slow: LingerTimer;
  /** Cached servers and allowed tools. */
  known: McpCache;
  /** Tokens for servers that users sign in to. */
  userTokens: UserTokens;
  /** The service's own tokens, for servers that it signs in to itself. */
  ownTokens: OwnTokens;
  /** The tokens that were sent to servers. */
  sentTokens: SentTokens;
  /** Revokes tokens that are deleted here. */
  giveBack: RevokeTokens;
  /** Records the scopes that a user's token lacks. */
  lacking(server: McpServer, userId: number, scope: string): Promise<void>;
  /** Sessions for runs and for listings. */
  sessions: Sessions;
  /** Sessions of clients that use servers through us. */
  callers: Sessions;
}
