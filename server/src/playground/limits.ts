const mebibyte = 1024 * 1024;

export const limits = {
  /** Of one user; each save counts them. */
  chats: 500,
  /** Of one chat, which is written as a whole: more would hold up SQLite's one writer. */
  chatBytes: 2 * mebibyte,
  /** Of all chats of a user. */
  userBytes: 64 * mebibyte,
  /** Models that answer side by side. */
  columns: 4,
  /** Messages and answers of one chat. */
  entries: 2_000,
  /** Pictures of one message. */
  images: 20,
  nameLength: 120,
  presets: 100,
  promptLength: 50_000,
};
