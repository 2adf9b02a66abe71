const mebibyte = 1024 * 1024;

export const limits = {
  /** Per user; checked on each save. */
  chats: 500,
  /** Per chat, which is written as a whole: larger ones would block SQLite's single writer. */
  chatBytes: 2 * mebibyte,
  /** All chats of a user. */
  userBytes: 64 * mebibyte,
  /** Models answering side by side. */
  columns: 4,
  /** Messages and answers per chat. */
  entries: 2_000,
  /** Images per message. */
  images: 20,
  nameLength: 120,
  searchLength: 200,
  presets: 100,
  promptLength: 50_000,
};
