import type { Database } from 'bun:sqlite';
import { dayOf, type UsageRow } from './port.ts';

interface Sum {
  row: UsageRow;
  requests: number;
  promptTokens: number;
  completionTokens: number;
  quota: number;
}

/** Adds up a batch first: most of its rows go to the same few sums. */
export class UsageSums {
  readonly #days: Sum[] = [];
  readonly #users = new Map<number, number>();

  add(row: UsageRow): void {
    let sum = this.#days.find((one) => together(one.row, row));
    if (!sum) {
      sum = { row, requests: 0, promptTokens: 0, completionTokens: 0, quota: 0 };
      this.#days.push(sum);
    }
    sum.requests += 1;
    sum.promptTokens += row.prompt_tokens;
    sum.completionTokens += row.completion_tokens;
    sum.quota += row.quota;
    this.#users.set(row.user_id, (this.#users.get(row.user_id) ?? 0) + 1);
  }

  write(db: Database): void {
    const add = db.query(
      `insert into usage_days (user_id, day, model_id, key_id, requests, prompt_tokens, completion_tokens, quota)
       values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
       on conflict (user_id, day, model_id, key_id) do update set requests = requests + ?5,
         prompt_tokens = prompt_tokens + ?6, completion_tokens = completion_tokens + ?7, quota = quota + ?8`,
    );
    for (const { row, requests, promptTokens, completionTokens, quota } of this.#days) {
      const day = dayOf(row.created_at);
      add.run(row.user_id, day, row.model_id, row.key_id, requests, promptTokens, completionTokens, quota);
    }
    const count = db.query('update users set request_count = request_count + ? where id = ?');
    for (const [userId, requests] of this.#users) count.run(requests, userId);
  }
}

const together = (a: UsageRow, b: UsageRow): boolean =>
  a.user_id === b.user_id &&
  a.key_id === b.key_id &&
  a.model_id === b.model_id &&
  dayOf(a.created_at) === dayOf(b.created_at);
