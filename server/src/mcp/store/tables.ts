import type { Generated } from 'kysely';

export interface McpServerTable {
  id: Generated<number>;
  /** Of a user's own server with the user's id before it, `7/files`; of an organisation's with its id behind it, `files_12`. */
  name: string;
  url: string;
  /** Sealed JSON object; empty where there are none. */
  headers: string;
  /** JSON array: of the headers only their names are shown. */
  header_names: string;
  enabled: number;
  timeout_ms: number;
  audience: string;
  /** JSON array; counts where the audience is `users`. */
  user_ids: string;
  /** JSON array: what is passed on besides tools. */
  offers: Generated<string>;
  /** `headers`, `oauth`, `enterprise`, `client_credentials` or `jwt_bearer`. */
  auth: Generated<string>;
  /** Null for the operator's; of an organisation's server the organisation's account. */
  owner_id: number | null;
  /** 0 for no limit. */
  calls_per_minute: Generated<number>;
  /** Registered by hand with its authorization server; empty where we register ourselves. */
  client_id: Generated<string>;
  /** Sealed; empty for a client without one. */
  client_secret: Generated<string>;
  /** Sealed JSON Web Key; empty for a client without one. */
  client_key: Generated<string>;
  /** The authorization server that the client was first used at; empty until then. */
  client_issuer: Generated<string>;
  /** With a token of the platform that is traded in; empty for none. */
  assertion_file: Generated<string>;
  /** The identity provider that vouches for users, by its slug; empty for none. */
  vouched_by: Generated<string>;
  /** Of an organisation's: one signs in for all. */
  shared_sign_in: Generated<number>;
  created_at: number;
  updated_at: number;
}

/** A tool is allowed by having a row, with its definition as it was read then. */
export interface McpToolTable {
  server_id: number;
  name: string;
  ask_first: number;
  description: string;
  /** JSON object. */
  input_schema: string;
  /** Hash of all that was approved. */
  definition: string;
  /** JSON object: title, annotations and the schema of results. Empty where these were not looked at yet. */
  further: Generated<string>;
  /** Of one call, in quota units. */
  price: Generated<number>;
  approved_at: number;
}

/** A session with a server that keeps some, for whoever it was opened for; any process may go on with it. */
export interface McpSessionTable {
  server_id: number;
  /** For whom: a key, a user, one client of theirs. */
  holder: string;
  /** Hash of the address and headers that it was opened with. */
  opened_with: string;
  /** Sealed JSON: who knows the id speaks for its holder. */
  session: string;
  used_at: number;
}

/** What a user let us do at a server, or is about to. */
export interface McpGrantTable {
  server_id: number;
  user_id: number;
  /** Sealed JSON: tokens, and what is needed to get others. */
  grant_sealed: string;
  /** While the user is away to sign in. */
  state_hash: string | null;
  updated_at: number;
}

/** What a server lets the service do in its own name. */
export interface McpOwnGrantTable {
  server_id: number;
  /** Sealed JSON: a token, and whose it is. */
  grant_sealed: string;
  updated_at: number;
}

/** A call of a tool that asks first. */
export interface McpApprovalTable {
  id: Generated<number>;
  user_id: number;
  server_id: number;
  tool: string;
  /** JSON object, shown to whoever is asked. */
  arguments: string;
  arguments_hash: string;
  /** `waiting`, `approved` or `refused`. */
  state: string;
  created_at: number;
  expires_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    mcp_servers: McpServerTable;
    mcp_tools: McpToolTable;
    mcp_sessions: McpSessionTable;
    mcp_approvals: McpApprovalTable;
    mcp_grants: McpGrantTable;
    mcp_own_grants: McpOwnGrantTable;
  }
}
