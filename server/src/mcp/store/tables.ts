import type { Generated } from 'kysely';

export interface McpServerTable {
  id: Generated<number>;
  /** A user's own server has the user's id in front, `7/files`; an organisation's has its id at the end, `files_12`. */
  name: string;
  url: string;
  /** Sealed JSON object; empty if there are none. */
  headers: string;
  /** JSON array; only the names of headers are shown. */
  header_names: string;
  enabled: number;
  timeout_ms: number;
  audience: string;
  /** JSON array; only applies to the audience `users`. */
  user_ids: string;
  /** JSON array: what is forwarded besides tools. */
  offers: Generated<string>;
  /** `headers`, `oauth`, `enterprise`, `client_credentials` or `jwt_bearer`. */
  auth: Generated<string>;
  /** Null for the operator; for an organisation's server the organisation's account. */
  owner_id: number | null;
  /** 0 for no limit. */
  calls_per_minute: Generated<number>;
  /** Registered by hand at the authorization server; empty if we register ourselves. */
  client_id: Generated<string>;
  /** Sealed; empty for a client without one. */
  client_secret: Generated<string>;
  /** Sealed JSON Web Key; empty for a client without one. */
  client_key: Generated<string>;
  /** The issuer that the client was first used at; empty until then. */
  client_issuer: Generated<string>;
  /** Contains the platform's token that is exchanged; empty for none. */
  assertion_file: Generated<string>;
  /** The slug of the identity provider that vouches for users; empty for none. */
  vouched_by: Generated<string>;
  /** For an organisation's server: one user signs in for all. */
  shared_sign_in: Generated<number>;
  blocked: Generated<number>;
  created_at: number;
  updated_at: number;
}

/** A tool is allowed if it has a row, with the definition that was approved. */
export interface McpToolTable {
  server_id: number;
  name: string;
  ask_first: number;
  description: string;
  /** JSON object. */
  input_schema: string;
  /** Hash of everything that was approved. */
  definition: string;
  /** JSON object: title, annotations and output schema. Empty if the tool was approved before these were read. */
  further: Generated<string>;
  /** Per call, in quota units. */
  price: Generated<number>;
  approved_at: number;
}

/** A session at a server that keeps sessions; any process may resume it. */
export interface McpSessionTable {
  server_id: number;
  /** Whom it belongs to: a key, a user, or one of their clients. */
  holder: string;
  /** Hash of the address and headers it was opened with. */
  opened_with: string;
  /** Sealed JSON, because anyone who knows the session id can act as its holder. */
  session: string;
  used_at: number;
}

/** A user's grant at a server, or a sign-in in progress. */
export interface McpGrantTable {
  server_id: number;
  user_id: number;
  /** Sealed JSON: tokens, and what is needed to renew them. */
  grant_sealed: string;
  /** Set while the user is signing in. */
  state_hash: string | null;
  updated_at: number;
}

/** The service's own grant at a server. */
export interface McpOwnGrantTable {
  server_id: number;
  /** Sealed JSON: a token, and whom it was issued to. */
  grant_sealed: string;
  updated_at: number;
}

/** A call of a tool that needs approval. */
export interface McpApprovalTable {
  id: Generated<number>;
  user_id: number;
  server_id: number;
  tool: string;
  /** JSON object, shown to the user who approves. */
  arguments: string;
  arguments_hash: string;
  /** See asker.ts; empty if it is not known. */
  asked_by: Generated<string>;
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
