import { manualClock } from '../lib/clock.ts';
import { noConnectedTools } from '../lib/connected-tools.ts';
import { openOwners } from '../platform/durable/owners.ts';
import { openLog } from '../platform/log.ts';
import { unbounded } from '../platform/storage-quota/storage-quota.fixture.ts';
import { parseChatRequest } from '../relay/wire/chat/request.ts';
import { importSource } from './import/import-source.ts';
import type { ChatMessage } from './messages.ts';
import { textOf } from './messages.ts';
import type { ModelInfo } from './models.ts';
import type { CompleteAnswer, CompleteRequest, Deps } from './ports.ts';
import { respond } from './respond.ts';
import { terms } from './search/terms.ts';
import { newVectorIndex } from './search/vector-index.ts';
import { openMemoryDb } from './store/db.fixture.ts';
import type { TurnAnswer } from './turn/turn-answer.ts';
import type { TurnOutput } from './turn/writer.ts';
import { newUserQueue } from './work-slices.ts';

/** What a scripted model answers: text, a message, or more. */
export type Scripted = string | Partial<CompleteAnswer> | Error;
export type Script = (request: CompleteRequest, purpose: Purpose) => Scripted | Promise<Scripted>;
export type Purpose = 'plan' | 'task' | 'synthesis' | 'summary' | 'extraction' | 'direct';

const marks: [Purpose, string][] = [
  ['plan', 'You split a request into tasks'],
  ['synthesis', 'was worked on as several tasks. Write the answer'],
  ['task', 'worked on as several tasks'],
  ['summary', 'Write the summary that replaces this conversation'],
  ['extraction', 'From the conversation below, extract facts'],
];

export const purposeOf = ({ messages }: Pick<CompleteRequest, 'messages'>): Purpose => {
  const all = messages.map(textOf).join('\n');
  return marks.find(([, mark]) => all.includes(mark))?.[0] ?? 'direct';
};

export const chatModel = (id: string, price: number, rest: Partial<ModelInfo> = {}): ModelInfo => ({
  id,
  type: 'chat',
  promptPrice: price,
  completionPrice: price,
  quality: 1,
  contextLength: 100_000,
  ...rest,
});

export const scriptedModels: ModelInfo[] = [
  chatModel('v/small', 1),
  chatModel('v/mid', 3),
  chatModel('v/big', 10),
  chatModel('v/embed', 0.1, { type: 'embedding' }),
  chatModel('v/rerank', 0.1, { type: 'rerank' }),
];

/** A vector per text by the words in it: near texts are near. */
export function wordVector(text: string): number[] {
  const vector = new Array<number>(64).fill(0);
  for (const term of terms(text)) vector[Number(Bun.hash(term) % 64n)]! += 1;
  return vector;
}

export interface Stage {
  deps: Deps;
  clock: ReturnType<typeof manualClock>;
  /** Every chat call, in order. */
  calls: (CompleteRequest & { purpose: Purpose })[];
  embedded: string[][];
  reranked: { query: string; documents: string[]; topN: number }[];
  warnings: string[];
  /** Waits for what goes on after the answers. */
  settled(): Promise<void>;
  ask(
    text: string | ChatMessage[],
    svcMs?: Record<string, unknown>,
    body?: Record<string, unknown>,
  ): Promise<TurnAnswer>;
  close(): Promise<void>;
}

/** The engine on an empty database with models that follow a script. */
export async function stage(script: Script, overrides: Partial<Deps> = {}, open = openMemoryDb): Promise<Stage> {
  const opened = await open();
  const clock = manualClock();
  const background: Promise<unknown>[] = [];
  const usage = { promptTokens: 10, completionTokens: 5 };
  const owners = await openOwners({ db: opened.db, log: openLog('silent'), clock });
  const self: Stage = {
    clock,
    calls: [],
    embedded: [],
    reranked: [],
    warnings: [],
    deps: {
      db: opened.db,
      clock,
      owners,
      storage: unbounded,
      near: newVectorIndex(),
      searches: newUserQueue(2),
      permit: (caller) => caller,
      parallelRuns: () => 1_000,
      requireMoney: async () => {},
      connectedTools: noConnectedTools,
      models: () => scriptedModels,
      operator: () => ({ plan: '', easy: '', medium: '', hard: '', embedding: '', rerank: '' }),
      startImport: async (ref) => void background.push(importSource(self.deps, ref, new AbortController().signal)),
      background: (work) => void background.push(work),
      warn: (message, error) => void self.warnings.push(`${message}: ${error}`),
      async complete(request) {
        const purpose = purposeOf(request);
        self.calls.push({ ...request, purpose });
        const given = await script(request, purpose);
        request.signal.throwIfAborted();
        if (given instanceof Error) throw given;
        const answer = typeof given === 'string' ? { message: { role: 'assistant' as const, content: given } } : given;
        const message = answer.message ?? { role: 'assistant', content: '' };
        if (request.stream) for (const word of textOf(message).match(/\S+\s*/g) ?? []) request.onDelta?.(word);
        const finishReason = message.tool_calls ? 'tool_calls' : 'stop';
        return { finishReason, usage, model: request.model, provider: 'scripted', ...answer, message };
      },
      async embed({ texts }) {
        self.embedded.push(texts);
        return { vectors: texts.map(wordVector), usage: { promptTokens: 1, completionTokens: 0 } };
      },
      async rerank({ query, documents, topN }) {
        self.reranked.push({ query, documents, topN });
        const results = documents.map((_, index) => ({ index, relevance_score: 1 - index / 100 }));
        return { results: results.slice(0, topN), usage: { promptTokens: 1, completionTokens: 0 } };
      },
      ...overrides,
    },
    async settled() {
      while (background.length > 0) await background.shift();
    },
    ask: (text, svcMs, body) => respond(self.deps, request(text, svcMs, body)),
    async close() {
      await self.settled();
      await owners.leave();
      await opened.close();
    },
  };
  return self;
}

export const request = (
  text: string | ChatMessage[],
  svcMs?: Record<string, unknown>,
  body: Record<string, unknown> = {},
  userId = 1,
  signal: AbortSignal = new AbortController().signal,
) => ({
  caller: { userId, keyId: null },
  conversation: parseChatRequest({
    model: 'svc/svc-ms',
    messages: typeof text === 'string' ? [{ role: 'user', content: text }] : text,
    svc_ms: svcMs,
    ...body,
  }),
  signal,
});

/** Collects what a streaming turn gives out. */
export function recorder(): TurnOutput & { events: [string, unknown][] } {
  const events: [string, unknown][] = [];
  return {
    events,
    streaming: true,
    opened: () => void events.push(['opened', null]),
    meta: (meta) => void events.push(['meta', meta]),
    reasoning: (text) => void events.push(['reasoning', text]),
    content: (text) => void events.push(['content', text]),
  };
}

export const planOf = (
  ...tasks: { id: string; needs?: string[]; difficulty?: string; instruction?: string; asked_for?: boolean }[]
): string =>
  JSON.stringify({
    description: 'The plan',
    tasks: tasks.map(({ id, needs = [], difficulty = 'easy', instruction = `do ${id}`, asked_for }) => ({
      id,
      title: `Title ${id}`,
      instruction,
      difficulty,
      depends_on: needs,
      asked_for,
    })),
  });

/** A request that the rules send to the planner. */
export const bigRequest = '1. Research the market\n2. Write a summary\n3. Propose a name';
