import type { Generated } from 'kysely';

interface SessionsTable {
  id: Generated<number>;
  user_id: number;
  session_id: string;
  project_id: string | null;
  /** JSON array of strings. */
  tags: string;
  total_messages: Generated<number>;
  total_tokens: Generated<number>;
  tokens_used: Generated<number>;
  created_at: number;
  last_accessed: number;
}

/** One row per tag of a session; maintained by triggers. */
interface SessionTagsTable {
  user_id: number;
  tag: string;
  last_accessed: number;
  session_ref: number;
}

interface MessagesTable {
  id: Generated<number>;
  session_ref: number;
  /** JSON of the whole chat message. */
  message: string;
  tokens: number;
  model: string | null;
  /** 1 if the client rewound past it: kept, but no longer part of the conversation. */
  superseded: Generated<number>;
  created_at: number;
}

interface SummariesTable {
  id: Generated<number>;
  session_ref: number;
  content: string;
  tokens: number;
  up_to: number;
  created_at: number;
}

interface KnowledgeTable {
  id: Generated<number>;
  public_id: string;
  user_id: number;
  project_id: string | null;
  category: string;
  title: string;
  content: string;
  /** JSON array of strings. */
  keywords: string;
  source_session: string | null;
  /** The quote it was learned from, and the message that contains it. */
  quote: string | null;
  source_message: number | null;
  /** The file it was imported from, and the passage's position. */
  source_ref: number | null;
  source_position: number | null;
  source_page: number | null;
  source_heading: string | null;
  /** Hash of its content; see knowledge.ts. */
  fingerprint: string | null;
  created_at: number;
  updated_at: number;
}

interface SourcesTable {
  id: Generated<number>;
  public_id: string;
  user_id: number;
  /** The key it was uploaded with, which pays; null: a browser session. */
  key_id: number | null;
  project_id: string | null;
  name: string;
  kind: string;
  content_hash: string;
  size: number;
  category: string;
  /** JSON array of strings. */
  keywords: string;
  /** 1: replaces earlier sources of the same name. */
  replaces: number;
  state: string;
  error: string | null;
  /** Passages stored, and how many there will be, once that is known. */
  written: Generated<number>;
  total: number | null;
  /** Passages deleted individually. */
  removed: Generated<number>;
  /** Attempts since the last passage was stored. */
  attempts: Generated<number>;
  created_at: number;
  updated_at: number;
}

/** The bytes of a file until it is read. */
interface SourcePartsTable {
  source_ref: number;
  position: number;
  bytes: Uint8Array;
}

interface DocumentsTable {
  id: Generated<number>;
  user_id: number;
  project_id: string | null;
  session_ref: number | null;
  message_id: number | null;
  before_id: number | null;
  knowledge_ref: number | null;
  /** The rule by which its words were indexed; see document-terms.ts. */
  terms_version: Generated<number>;
}

/** One row per document without a vector; maintained by triggers. */
interface UnembeddedTable {
  document_id: number;
  user_id: number;
  /** The process that is embedding it; empty: none. */
  owner: Generated<string>;
}

interface VectorsTable {
  id: Generated<number>;
  document_id: number;
  user_id: number;
  model: string;
  bits: Uint8Array;
  vector: Uint8Array;
}

interface PlansTable {
  id: Generated<number>;
  plan_id: string;
  user_id: number;
  session_ref: number;
  status: string;
  /** JSON; see plans.ts. */
  state: string;
  created_at: number;
  updated_at: number;
  expires_at: number;
}

interface ToolCallsTable {
  user_id: number;
  tool_call_id: string;
  plan_ref: number;
}

interface PatternsTable {
  user_id: number;
  kind: string;
  difficulty: string;
  model: string;
  successes: number;
  failures: number;
  updated_at: number;
}

interface PreferencesTable {
  user_id: number;
  /** JSON of the values that differ from the defaults. */
  value: string;
  updated_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    ms_sessions: SessionsTable;
    ms_session_tags: SessionTagsTable;
    ms_messages: MessagesTable;
    ms_summaries: SummariesTable;
    ms_knowledge: KnowledgeTable;
    ms_sources: SourcesTable;
    ms_source_parts: SourcePartsTable;
    ms_documents: DocumentsTable;
    ms_unembedded: UnembeddedTable;
    ms_vectors: VectorsTable;
    ms_plans: PlansTable;
    ms_tool_calls: ToolCallsTable;
    ms_patterns: PatternsTable;
    ms_preferences: PreferencesTable;
  }
}
