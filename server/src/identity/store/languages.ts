import { asLanguage, type Language } from '../../lib/languages.ts';
import type { Db } from '../../platform/db/tables.ts';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    user_languages: { user_id: number; language: string };
  }
}

/** Null if none is known, or this version does not support it. */
export async function languageOf(db: Db, userId: number): Promise<Language | null> {
  const row = await db.selectFrom('user_languages').select('language').where('user_id', '=', userId).executeTakeFirst();
  return row ? asLanguage(row.language) : null;
}

export async function setLanguage(db: Db, userId: number, language: Language): Promise<void> {
  await db
    .insertInto('user_languages')
    .values({ user_id: userId, language })
    .onConflict((c) => c.column('user_id').doUpdateSet({ language }))
    .execute();
}

/** Only if none is stored: a concurrent choice wins. */
export async function setFirstLanguage(db: Db, userId: number, language: Language): Promise<void> {
  await db
    .insertInto('user_languages')
    .values({ user_id: userId, language })
    .onConflict((c) => c.column('user_id').doNothing())
    .execute();
}

export async function deleteLanguageOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('user_languages').where('user_id', '=', userId).execute();
}
