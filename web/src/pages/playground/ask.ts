import { ApiError, errorOf, forShownUser, get, type Result } from '../../api.ts';
import { t } from '../../language/words.ts';
import { type Chunk, hasOutput, withChunk } from './chunk.ts';
import type { AnswerEntry, AnswerStats } from './conversation.ts';
import { readEvents } from './read-events.ts';

async function send(request: Record<string, unknown>, signal: AbortSignal): Promise<Response> {
  const init = {
    method: 'POST',
    // Tells the relay that the request comes from a page, so that it authenticates by session instead of by API key.
    headers: { 'Content-Type': 'application/json', 'x-svc-web': '1', ...forShownUser() },
    body: JSON.stringify(request),
    signal,
  };
  const response = await fetch('/v1/chat/completions', init).catch((cause: unknown) => {
    if (signal.aborted) throw cause;
    throw new ApiError(0, t('The server could not be reached. Check the connection and try again.'), null);
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}

const headStats = ({ headers }: Response): AnswerStats => {
  const cost = headers.get('x-svc-cost');
  return {
    provider: headers.get('x-svc-provider') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    ...(cost !== null && { cost: Number(cost) }),
  };
};

async function* chunksOf(response: Response, signal: AbortSignal): AsyncGenerator<Chunk> {
  if (!response.headers.get('content-type')?.includes('event-stream')) {
    yield (await response.json()) as Chunk;
    return;
  }
  try {
    for await (const data of readEvents(response.body!)) {
      if (data !== '[DONE]') yield JSON.parse(data) as Chunk;
    }
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new ApiError(0, t('The connection was lost during the answer.'), headStats(response).requestId ?? null);
  }
}

/** Sends the request and reports every update of the answer. Resolves with the finished answer, or throws. */
export async function ask(
  answer: AnswerEntry,
  signal: AbortSignal,
  tell: (answer: AnswerEntry) => void,
): Promise<AnswerEntry> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  const response = await send(answer.request, signal);
  let current: AnswerEntry = { ...answer, stats: headStats(response) };
  for await (const chunk of chunksOf(response, signal)) {
    current = withChunk(current, chunk);
    if (current.stats.firstTokenMs === undefined && hasOutput(current)) {
      current = { ...current, stats: { ...current.stats, firstTokenMs: elapsed() } };
    }
    tell(current);
  }
  if (current.finishReason === null) {
    throw new ApiError(0, t('The answer ended before it was complete.'), current.stats.requestId ?? null);
  }
  return { ...current, state: 'done', stats: { ...current.stats, latencyMs: elapsed() } };
}

const costTries = [150, 500, 1_200, 3_000, 8_000];

type UsageLog = Result<'/api/usage/logs', 'get'>['logs'][number];

/** The log entries of an answer. An orchestrated answer makes many calls, which are matched by model and time. */
function callsBehind({ stats, meta }: AnswerEntry, logs: UsageLog[], startedAt: number): UsageLog[] {
  const own = logs.filter(({ request_id }) => request_id === stats.requestId);
  if (own.length > 0 || !meta?.models_used) return own;
  const { models_used: models, total_model_calls: count = 0 } = meta;
  return logs
    .filter(({ model, token_id, created_at }) => token_id === null && model in models && created_at >= startedAt)
    .slice(0, count);
}

/** The cost of a streamed answer is known only at its end. Look it up in the usage log, which lags a little behind. */
export async function costOf(answer: AnswerEntry, startedAt: number): Promise<number | undefined> {
  for (const waitMs of costTries) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const { logs } = await get('/api/usage/logs', { query: { page: 1, page_size: 50 } });
    const calls = callsBehind(answer, logs, startedAt);
    if (calls.length > 0) return calls.reduce((sum, { quota }) => sum + quota, 0);
  }
  return undefined;
}
