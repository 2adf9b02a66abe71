import { type ChatMessage, textOf } from '../../server/src/orchestra/messages.ts';
import { type ModelInfo, orchestraModel } from '../../server/src/orchestra/models.ts';
import type { CompleteRequest } from '../../server/src/orchestra/ports.ts';
import { respond } from '../../server/src/orchestra/respond.ts';
import { savePreferences } from '../../server/src/orchestra/store/preferences.ts';
import { parseChatRequest } from '../../server/src/relay/wire/chat/request.ts';
import { openEngine, openFile } from '../kit/engine.ts';
import { between, randomOf } from '../kit/random.ts';

export interface Timed {
  /** From request to answer, including planning and synthesis. */
  turnMs: number;
  /** From the start of the first task to the end of the last. */
  tasksMs: number;
  atOnce: number;
}

const tasks = 8;
const model: ModelInfo = {
  id: 'sim/any',
  type: 'chat',
  promptPrice: 1,
  completionPrice: 1,
  quality: 1,
  contextLength: 128_000,
};

/** Eight independent tasks through the engine; each model call takes its simulated time. */
export async function eightTasks(parallel: boolean, seed: number): Promise<Timed> {
  const random = randomOf('width', seed);
  const taskMs = Array.from({ length: tasks }, () => between(150, 250, random));
  let running = 0;
  let atOnce = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  const perform = async (ms: number) => {
    first = Math.min(first, performance.now());
    running += 1;
    atOnce = Math.max(atOnce, running);
    await Bun.sleep(ms);
    running -= 1;
    last = performance.now();
  };
  const complete = async ({ messages }: CompleteRequest) => {
    const text = messages.map(textOf).join('\n');
    let content = 'A result.';
    if (text.includes('You split a request')) {
      await Bun.sleep(80);
      content = plan();
    } else if (text.includes('Write the answer to it')) await Bun.sleep(150);
    else await perform(taskMs[Number(/Do part (\d)/.exec(text)?.[1] ?? 1) - 1]!);
    const message: ChatMessage = { role: 'assistant', content };
    return { message, finishReason: 'stop', usage: { promptTokens: 1, completionTokens: 1 }, model: '', provider: '' };
  };
  const bench = await openEngine(await openFile(), { models: [model], complete });
  await savePreferences(bench.opened.db, 1, { enable_parallel_tasks: parallel }, 0);
  const content = Array.from({ length: tasks }, (_, i) => `${i + 1}. Write part ${i + 1}`).join('\n');
  const began = performance.now();
  const { signal } = new AbortController();
  await respond(bench.orchestra.deps, {
    caller: { userId: 1, keyId: null },
    conversation: parseChatRequest({ model: orchestraModel, messages: [{ role: 'user', content }] }),
    signal,
  });
  const turnMs = performance.now() - began;
  await bench.close();
  return { turnMs, tasksMs: last - first, atOnce };
}

const plan = (): string =>
  JSON.stringify({
    description: 'Eight parts',
    tasks: Array.from({ length: tasks }, (_, i) => ({
      id: `t${i + 1}`,
      title: `Part ${i + 1}`,
      instruction: `Do part ${i + 1}`,
      difficulty: 'easy',
      depends_on: [],
    })),
  });
