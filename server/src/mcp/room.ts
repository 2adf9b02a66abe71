import type { Vouching } from '../identity/sign-in/vouching.ts';
import type { Clock } from '../lib/clock.ts';
import type { Lingering } from '../lib/lingering.ts';
import type { Sealer } from '../lib/seal.ts';
import type { Db } from '../platform/db/tables.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import type { Log } from '../platform/log.ts';
import type { Hearing } from '../platform/shared/hearing.ts';
import type { Shared } from '../platform/shared/port.ts';
import type { UpstreamConnections } from '../platform/upstream/connections.ts';
import type { CalledTool, ToolMoney } from './called-tool.ts';
import type { GiveBack } from './grant.ts';
import type { Known } from './known.ts';
import type { Memberships } from './memberships.ts';
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
  /** Only the system's own client reaches others. */
  fetchOnly?: boolean | undefined;
  baseUrl: string;
  /** Where the platform keeps tokens that the service trades in; absent where it keeps none. */
  assertionsDir?: string | undefined;
  /** Authorization servers that read documents of clients are to read ours, and need not register us. */
  namedByDocument(): boolean;
  /** Organisations, whose members use what is connected for them. */
  memberships: Memberships;
  /** Providers that vouch for users at servers. */
  vouching: Vouching;
  /** Where the pages are. */
  webUrl: string;
  shared: Pick<Shared, 'hit' | 'publish' | 'subscribe'>;
  hearing: Hearing;
  money: ToolMoney;
  /** Writes a call where calls are counted and told of. */
  note(called: CalledTool): void;
}

/** What the functions of this room share. */
export interface McpRoom extends Omit<McpDeps, 'fetchOnly'> {
  /** To servers; absent where only the system's own client reaches others. */
  lines: UpstreamConnections | undefined;
  /** Calls to servers that take a while. */
  slow: Lingering;
  /** Servers and allowed tools, as they are asked for by calls. */
  known: Known;
  /** For servers that their users sign in to. */
  userTokens: UserTokens;
  /** The service's own, for servers that it signs in to for itself. */
  ownTokens: OwnTokens;
  /** Tokens that are forgotten here end there. */
  giveBack: GiveBack;
  /** A user's token was not enough: what it would need besides. */
  lacking(server: McpServer, userId: number, scope: string): Promise<void>;
  /** For what runs ask, and for lists. */
  sessions: Sessions;
  /** Of those who use servers through us. */
  callers: Sessions;
}
