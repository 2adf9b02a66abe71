import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { McpServer } from './store/servers.ts';

/** A user's authorization at a server, with everything needed to renew it. */
export interface Grant {
  /**
   * A client that registered itself or is identified by its document; one registered by hand is stored with the server.
   */
  client?: StoredOAuthClientInformation | undefined;
  tokens?: StoredOAuthTokens | undefined;
  /** The key that the tokens are bound to. */
  key?: string | undefined;
  /** The key for the tokens of a sign-in in progress; the current tokens stay valid until it completes. */
  nextKey?: string | undefined;
  /** When the access token expires; absent if the server does not say. */
  expiresAt?: number | undefined;
  obtainedAt?: number | undefined;
  verifier?: string | undefined;
  discovery?: OAuthDiscoveryState | undefined;
  /** Scopes that the server said are missing, to be requested by the next sign-in. */
  lacking?: string | undefined;
  /** Unique per sign-in: a server's session state must not carry over to the next sign-in. */
  sign?: string | undefined;
  /** Who signed in for an organisation, and who is currently signing in. */
  by?: number | undefined;
  nextBy?: number | undefined;
}

/** Revokes the grant's tokens at the authorization server. */
export type RevokeTokens = (server: McpServer, grant: Grant) => Promise<void>;
