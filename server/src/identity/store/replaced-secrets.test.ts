import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines, type TestDb } from '../../platform/db/engines.fixture.ts';
import { factorsOf, replaceRecoveryCodes } from './factors.ts';
import { listOneTime, replaceOneTime } from './one-time.ts';
import { insertUser } from './users.ts';

const howOften = 40;
const inParallel = 3;

/** Secrets that replace their predecessors: whoever asks at the same time, one set remains valid. */
for (const engine of engines)
  describe(engine.name, () => {
    let open: TestDb;
    let userId: number;
    beforeAll(async () => {
      open = await engine.open();
      const user = { username: 'ada', email: 'ada@mail.example', display_name: 'Ada', password_hash: '', role: 1 };
      userId = (await insertUser(open.db, { ...user, quota: 0, created_at: 1 }))!.id;
    });
    afterAll(() => open.drop());

    const together = (replace: (name: string) => Promise<void>, round: number) =>
      Promise.all(Array.from({ length: inParallel }, (_, n) => replace(`${round}-${n}`)));

    test('recovery codes renewed several times at once are those of one renewal', async () => {
      for (let round = 0; round < howOften; round += 1) {
        const codes = (name: string) => Array.from({ length: 10 }, (_, n) => `${name}-${n}`);
        await together((name) => replaceRecoveryCodes(open.db, userId, codes(name)), round);
        expect((await factorsOf(open.db, userId)).recovery_codes_left).toBe(10);
        const rows = await open.db.selectFrom('recovery_codes').select('code_hash').execute();
        expect(new Set(rows.map(({ code_hash }) => code_hash.split('-', 2).join('-'))).size).toBe(1);
      }
    });

    test('of links made several times at once, one is valid', async () => {
      const row = { purpose: 'reset_password', user_id: userId, about: '', created_at: 1, expires_at: 100 };
      for (let round = 0; round < howOften; round += 1) {
        await together((secret_hash) => replaceOneTime(open.db, { ...row, secret_hash }), round);
        expect(await listOneTime(open.db, { purpose: row.purpose, now: 50, userId }, 9)).toHaveLength(1);
      }
    });
  });
