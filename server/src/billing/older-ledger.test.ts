import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { migrate } from '../platform/db/migrate.ts';
import { migrations } from '../platform/db/migrations/index.ts';
import { engines } from './engines.fixture.ts';
import { pageLedger } from './store/ledger.ts';

const before = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name === '0012-charges-once'),
);

/** Charges and grants as they were written before, in turns; the last two in the same second. */
const moves = [
  { kind: 'grant', amount: 1_000, request: '', note: 'welcome' },
  { kind: 'usage', amount: -30, request: 'req_1', note: '' },
  { kind: 'usage', amount: -50, request: 'req_2', note: '' },
  { kind: 'grant', amount: -20, request: '', note: 'corrected' },
  { kind: 'usage', amount: -100, request: 'req_3', note: '' },
];

describe.each(engines)('$name', (engine) => {
  test('a ledger written as rows of its own reads the same as charges and credits', async () => {
    const open = await engine.open(before);
    const { db } = open;
    let balance = 0;
    for (const [i, { kind, amount, request, note }] of moves.entries()) {
      balance += amount;
      const at = 1_700_000_000 + Math.min(i * 10, 30);
      await sql`insert into ledger (user_id, kind, amount, balance_after, request_id, key_id, model_id, shortfall, note,
          actor_id, created_at)
        values (7, ${kind}, ${amount}, ${balance}, ${request}, 0, ${request && 'acme/large'}, 0, ${note}, 0, ${at})`.execute(
        db,
      );
      if (kind === 'usage')
        await sql`insert into usage_logs (request_id, user_id, key_id, model_id, endpoint, provider, channel_id,
            prompt_tokens, completion_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, units, quota,
            shortfall, stream, status, duration_ms, first_token_ms, created_at)
          values (${request}, 7, 0, 'acme/large', '/v1', 'acme', 1, 1, 1, 0, 0, 0, 0, ${-amount}, 0, 0, 'ok', 1, 0, ${at})`.execute(
          db,
        );
    }
    await migrate(db);
    const { entries, total } = await pageLedger(db, 7, { limit: 10, offset: 0 });
    expect(total).toBe(moves.length);
    const seen = entries.map(({ kind, amount, request_id, note, balance_after }) => ({
      kind,
      amount,
      request: request_id,
      note,
      balance_after,
    }));
    let left = 0;
    const expected = moves.map((move) => {
      left += move.amount;
      return { ...move, balance_after: left };
    });
    expect(seen).toEqual(expected.reverse());
    expect(new Set(entries.map(({ id }) => id)).size).toBe(moves.length);
    expect((await pageLedger(db, undefined, { limit: 2, offset: 1 })).entries).toEqual(entries.slice(1, 3));
    await open.drop();
  });
});
