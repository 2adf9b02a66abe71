import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { McpServer } from './store/servers.ts';

/** What a user let us do at a server, and what is needed to go on with it. */
export interface Grant {
  /** That registered itself, or is known by its document; one that was registered by hand is the server's. */
  client?: StoredOAuthClientInformation | undefined;
  tokens?: StoredOAuthTokens | undefined;
  /** What the tokens are bound to. */
  key?: string | undefined;
  /** The same for those that the next sign-in gives; those of before count until then. */
  nextKey?: string | undefined;
  /** When the access token runs out; absent where the server does not say. */
  expiresAt?: number | undefined;
  obtainedAt?: number | undefined;
  verifier?: string | undefined;
  discovery?: OAuthDiscoveryState | undefined;
  /** What the server said is missing, to be asked for by the next sign-in. */
  lacking?: string | undefined;
  /** Of each sign-in another: what a server remembers of one is not the next one's. */
  sign?: string | undefined;
  /** Who signed in for an organisation, and who is about to. */
  by?: number | undefined;
  nextBy?: number | undefined;
}

/** Tells whoever gave it that it is needed no more. */
export type GiveBack = (server: McpServer, grant: Grant) => Promise<void>;
