import type { Generated, Selectable } from 'kysely';

interface ChatsTable {
  id: Generated<number>;
  user_id: number;
  /** Chosen by the client that saves it first. */
  chat_id: string;
  name: string;
  /** JSON list: the model of each column. */
  models: string;
  /** Size of the content. */
  bytes: number;
  /** Incremented by each save; a save based on an older version is refused. */
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
