import type { Generated, Selectable } from 'kysely';

interface ChatsTable {
  id: Generated<number>;
  user_id: number;
  /** By which its owner knows it; chosen by whoever saves it first. */
  chat_id: string;
  name: string;
  /** JSON list: of each column, the model that is asked next. */
  models: string;
  /** Of the content. */
  bytes: number;
  /** Counts what was saved: whoever knows an older one does not write over it. */
  version: number;
  created_at: number;
  updated_at: number;
  /** JSON. */
  content: string;
}

interface PresetsTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  prompt: string;
  created_at: number;
  updated_at: number;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    playground_chats: ChatsTable;
    playground_presets: PresetsTable;
  }
}

export type ChatRow = Selectable<ChatsTable>;
export type PresetRow = Selectable<PresetsTable>;
