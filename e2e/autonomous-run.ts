/**
 * Helpers for tests of autonomous runs from outside: a model that follows a plan, and a reader that always reconnects.
 */
import { SseParser } from '../server/src/lib/sse.ts';
import { says } from './relay-replies.ts';
import type { Asked, Script } from './upstream.ts';

export interface Told {
  id: number;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read single fields
  data: any;
}

const plan = (ids: string[]): string =>
  JSON.stringify({
    description: 'The plan',
    tasks: ids.map((id, i) => ({
      id,
      title: `Title ${id}`,
      instruction: `do ${id}`,
      difficulty: 'easy',
      // The first two tasks run in parallel, then the next two.
      depends_on: i < 2 ? [] : [ids[i - 2]!],
    })),
  });

const promptOf = ({ body }: Asked): string =>
  (body.messages as { content: unknown }[]).map(({ content }) => JSON.stringify(content)).join('\n');

export interface Model {
  script: Script;
  /** Number of calls started, per task. */
  calls: Map<string, number>;
  /** Once set, the judge considers the goal reached. */
  content: boolean;
}

/** A model that plans new tasks in every iteration until the judge accepts; each task takes about `taskMs`. */
export function planningModel(taskMs: number, wordsPerTask = 6, wordLength = 6): Model {
  let iterations = 0;
  const say = (asked: Asked, text: string, everyMs = 0) => says('openai', { text }, { everyMs })(asked);
  const model: Model = {
    calls: new Map(),
    content: false,
    script: async (asked) => {
      const prompt = promptOf(asked);
      if (prompt.includes('You split a request into tasks')) return say(asked, plan(['p1', 'p2', 'p3', 'p4']));
      if (prompt.includes('You revise the plan')) {
        iterations += 1;
        return say(asked, plan([`r${iterations}a`, `r${iterations}b`, `r${iterations}c`]));
      }
      await Bun.sleep(20);
      if (prompt.includes('Judge how well the result')) return say(asked, '{"score": 0.9, "feedback": "fine"}');
      if (prompt.includes('Judge whether the goal')) {
        // Confidence varies a little each time, so that the run does not count as stalled.
        const confidence = model.content ? 0.95 : 0.1 + 0.02 * (iterations % 30);
        return say(asked, JSON.stringify({ confidence, missing: model.content ? [] : ['more'] }));
      }
      const task = /Your task: Title (\w+)/.exec(prompt)?.[1] ?? 'answer';
      model.calls.set(task, (model.calls.get(task) ?? 0) + 1);
      const text = Array.from({ length: wordsPerTask }, (_, i) => `word${i}`.padEnd(wordLength, 'x')).join(' ');
      return say(asked, text, taskMs / wordsPerTask);
    },
  };
  return model;
}

export const goal = '1. Research the market\n2. Write a summary\n3. Propose a name';

export interface Reader {
  told: Told[];
  /** Resolves to the last event of the run. */
  done: Promise<Told>;
}

const last = new Set(['execution_completed', 'execution_paused', 'error']);

/** Reads the events of a session, and resumes from the last event id whenever the connection breaks. */
export function follow(urls: () => string[], sessionId: string, key: string, onEvent?: (told: Told) => void): Reader {
  const told: Told[] = [];
  const once = async (url: string) => {
    const lastId = told.at(-1)?.id;
    const response = await fetch(`${url}/api/svc-ms/autonomous/${sessionId}/events`, {
      headers: { authorization: `Bearer ${key}`, ...(lastId !== undefined && { 'last-event-id': `${lastId}` }) },
    });
    if (!response.ok || !response.body) return;
    const parser = new SseParser();
    for await (const chunk of response.body) {
      for (const { id, event, data } of parser.push(chunk)) {
        const one = { id: Number(id), event, data: JSON.parse(data) };
        told.push(one);
        onEvent?.(one);
      }
    }
  };
  const read = async (): Promise<Told> => {
    for (let i = 0; ; i++) {
      const all = urls();
      await once(all[i % all.length]!).catch(() => {});
      const end = told.at(-1);
      if (end && last.has(end.event)) return end;
      await Bun.sleep(50);
    }
  };
  return { told, done: read() };
}
