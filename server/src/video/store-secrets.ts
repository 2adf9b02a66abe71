import type { Db } from '../platform/db/tables.ts';

declare module '../platform/db/tables.ts' {
  interface Tables {
    /** Users who rotated their callback secret. */
    video_secrets: { user_id: number; version: number; old_ends_at: number };
  }
}

/** The current secret's version, and how long the previous one is valid. */
export interface SecretState {
  version: number;
  /** 0 if no previous one is valid. */
  old_ends_at: number;
}

export async function secretState(db: Db, userId: number): Promise<SecretState> {
  const found = db.selectFrom('video_secrets').select(['version', 'old_ends_at']).where('user_id', '=', userId);
  return (await found.executeTakeFirst()) ?? { version: 0, old_ends_at: 0 };
}

export const nextSecret = (db: Db, userId: number, oldEndsAt: number): Promise<SecretState> =>
  db
    .insertInto('video_secrets')
    .values({ user_id: userId, version: 1, old_ends_at: oldEndsAt })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet((e) => ({ version: e('video_secrets.version', '+', 1), old_ends_at: oldEndsAt })),
    )
    .returning(['version', 'old_ends_at'])
    .executeTakeFirstOrThrow();

export async function forgetSecrets(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('video_secrets').where('user_id', '=', userId).execute();
}
