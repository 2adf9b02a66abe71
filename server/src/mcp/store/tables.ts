import type { Generated } from 'kysely';

export interface McpServerTable {
  id: Generated<number>;
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
  /** Hash of description and schema. */
  definition: string;
  approved_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    mcp_servers: McpServerTable;
    mcp_tools: McpToolTable;
  }
}
