import { sql } from 'kysely';
import { toUnit } from '../../server/src/orchestra/search/vectors.ts';
import { search } from '../../server/src/orchestra/turn/recall.ts';
import type { OpenDb } from '../../server/src/platform/db/open.ts';
import { openEngine, openFile, openPostgres } from '../kit/engine.ts';
import { goal, median, type Row, report, round } from '../kit/report.ts';
import { weak } from '../retrieval/embedders.ts';
import { type LongConversation, longConversationOf, store } from '../retrieval/long-conversation.ts';
import { model, userId } from '../retrieval/stored-conversations.ts';

const wanted = 100_000;
const asked = 200;
const topK = 30;

/** How long recall takes for a user with 100,000 stored messages. */
export async function recall(): Promise<void> {
  const lives: LongConversation[] = [];
  for (let total = 0; total < wanted; total += lives.at(-1)!.messages.length)
    lives.push(longConversationOf(100 + lives.length));
  const rows: Row[] = [];
  const goals: string[] = [];
  for (const [name, open] of [
    ['SQLite', openFile],
    ['PostgreSQL', openPostgres],
  ] as [string, () => Promise<OpenDb | null>][]) {
    const opened = await open();
    if (!opened) {
      console.log(`recall: ${name} cannot be reached; skipped`);
      continue;
    }
    const figures = await measure(opened, lives);
    rows.push({ what: name, figures });
    const ms = figures['median, ms'];
    goals.push(goal(`${name}: recall under 50 ms at the median (${ms} ms)`, ms < 50));
  }
  report('recall', rows, goals);
}

async function measure(opened: OpenDb, lives: LongConversation[]) {
  const bench = await openEngine(opened, { models: [] });
  const questions: { text: string; messageId: number }[] = [];
  let messages = 0;
  for (const [i, life] of lives.entries()) {
    const ids = await store(opened, life, `life-${i}`);
    messages += ids.length;
    questions.push(...life.questions.map(({ text, at }) => ({ text, messageId: ids[at]! })));
  }
  // Autovacuum does this in production; until then word lookups also scan the index's pending list.
  if (opened.engine === 'postgres') await sql`vacuum analyze`.execute(opened.db);
  const ask = async ({ text, messageId }: (typeof questions)[number]) => {
    const began = performance.now();
    const query = { model, vector: toUnit(weak(text)) };
    const found = await search(bench.orchestra, { userId }, text, query, topK);
    return { ms: performance.now() - began, hit: found.some((document) => document.messageId === messageId) };
  };
  // The first query after a start reads the signs of all vectors into memory.
  const first = await ask(questions[0]!);
  const before = process.cpuUsage();
  const answers: Awaited<ReturnType<typeof ask>>[] = [];
  for (let i = 0; i < asked; i += 1) answers.push(await ask(questions[(i * 47) % questions.length]!));
  const cpu = process.cpuUsage(before);
  await bench.close();
  if (!answers.some(({ hit }) => hit))
    throw new Error("nothing was recalled: the rows do not have the engine's format");
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    messages,
    'median, ms': round(median(times), 1),
    'p95, ms': round(times[Math.floor(asked * 0.95)]!, 1),
    'own CPU each, ms': round((cpu.user + cpu.system) / 1000 / asked, 1),
    'slowest, ms': round(times.at(-1)!, 1),
    'first after a start, ms': Math.round(first.ms),
  };
}
