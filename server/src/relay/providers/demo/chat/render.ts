import { randomString } from '../../../../lib/ids.ts';
import type { Choice, Completion } from './complete.ts';
import type { ChatRequest } from './request.ts';

interface Head {
  id: string;
  created: number;
  model: string;
  system_fingerprint: string;
}

const headOf = (model: string): Head => ({
  id: `chatcmpl-${randomString(24)}`,
  created: Math.floor(Date.now() / 1000),
  model,
  system_fingerprint: 'fp_simulation',
});

export function renderCompletion(model: string, completion: Completion): Record<string, unknown> {
  return {
    object: 'chat.completion',
    ...headOf(model),
    choices: completion.choices.map((choice) => ({
      index: choice.index,
      message: {
        role: 'assistant',
        content: choice.content,
        refusal: null,
        ...(choice.toolCalls.length > 0 ? { tool_calls: choice.toolCalls } : {}),
      },
      logprobs: null,
      finish_reason: choice.finishReason,
    })),
    usage: completion.usage,
  };
}

/** The chunks of a streamed answer, including the usage chunk if requested. */
export function* chunksOf(request: ChatRequest, completion: Completion): Generator<Record<string, unknown>> {
  const head = headOf(request.model);
  const withUsage = request.stream_options?.include_usage === true;
  const chunk = (choices: unknown[], usage: unknown = null): Record<string, unknown> => ({
    object: 'chat.completion.chunk',
    ...head,
    choices,
    ...(withUsage ? { usage } : {}),
  });
  const delta = (index: number, body: unknown, finish: string | null = null): Record<string, unknown> =>
    chunk([{ index, delta: body, logprobs: null, finish_reason: finish }]);
  for (const choice of completion.choices) {
    yield delta(choice.index, { role: 'assistant', content: choice.toolCalls.length > 0 ? null : '', refusal: null });
    for (const body of deltasOf(choice)) yield delta(choice.index, body);
    yield delta(choice.index, {}, choice.finishReason);
  }
  if (withUsage) yield chunk([], completion.usage);
}

function* deltasOf(choice: Choice): Generator<Record<string, unknown>> {
  for (const piece of choice.content?.match(/\s+\S*|\S+/g) ?? []) yield { content: piece };
  for (const [index, call] of choice.toolCalls.entries()) {
    yield {
      tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.function.name, arguments: '' } }],
    };
    // Split like real upstreams do, so that clients' joining of arguments is exercised.
    for (const piece of call.function.arguments.match(/[\s\S]{1,16}/gu) ?? []) {
      yield { tool_calls: [{ index, function: { arguments: piece } }] };
    }
  }
}

/** Server-sent events, paced; ends at once if the client disconnects. */
export function streamChunks(
  chunks: Iterator<Record<string, unknown>>,
  paceMs: number,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (paceMs > 0) await pause(paceMs, signal);
      if (signal.aborted) return controller.error(signal.reason);
      const next = chunks.next();
      if (next.done) {
        controller.enqueue(encoder.encode('data: [DONE]\n\n'));
        return controller.close();
      }
      controller.enqueue(encoder.encode(`data: ${JSON.stringify(next.value)}\n\n`));
    },
  });
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) return done();
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      done();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
  });
