import type { TestApp } from '../app.fixture.ts';

/** One request as an upstream saw it. */
export interface SeenRequest {
  method: string;
  path: string;
  headers: Headers;
  /** Parsed JSON, a form, or the text as it came. */
  body: unknown;
  /** Resolves when our side gave the call up. */
  aborted: Promise<void>;
  signal: AbortSignal;
}

export type Script = (request: SeenRequest) => Response | Promise<Response>;

/** An upstream that answers by a script and remembers what it was asked. */
export interface ScriptedUpstream {
  url: string;
  seen: SeenRequest[];
  /** The script from now on. */
  answer(script: Script): void;
  /** Resolves when the next request has come. */
  next(): Promise<SeenRequest>;
  close(): Promise<void>;
}

export function scriptedUpstream(script: Script = () => Response.json({})): ScriptedUpstream {
  let current = script;
  const seen: SeenRequest[] = [];
  let waiting: ((request: SeenRequest) => void)[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    // An answer that is broken on purpose is no news.
    development: false,
    error: () => new Response(null, { status: 500 }),
    fetch: async (request) => {
      const { promise: aborted, resolve } = Promise.withResolvers<void>();
      request.signal.addEventListener('abort', () => resolve(), { once: true });
      const one: SeenRequest = {
        method: request.method,
        path: new URL(request.url).pathname,
        headers: request.headers,
        body: await bodyOf(request),
        aborted,
        signal: request.signal,
      };
      seen.push(one);
      for (const wake of waiting) wake(one);
      waiting = [];
      return current(one);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    seen,
    answer: (next) => {
      current = next;
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
    close: () => server.stop(true),
  };
}

async function bodyOf(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (type.startsWith('multipart/form-data')) return request.formData();
  const text = await request.text();
  return type.startsWith('application/json') && text !== '' ? JSON.parse(text) : text;
}

/** Never answers; ends when our side gives up. */
export const stall: Script = ({ aborted }) => aborted.then(() => new Response(null, { status: 499 }));

/** Sends these chunks, then nothing more, with the connection left open. */
export const stallAfter =
  (chunks: Uint8Array[], headers: Record<string, string>): Script =>
  ({ signal }) =>
    new Response(
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk);
          signal.addEventListener('abort', () => controller.close(), { once: true });
        },
      }),
      { headers },
    );

/** Sends these chunks and breaks the connection. */
export const breakAfter =
  (chunks: Uint8Array[], headers: Record<string, string>): Script =>
  () => {
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const chunk = chunks[at];
        at += 1;
        if (chunk) controller.enqueue(chunk);
        else {
          await Bun.sleep(20);
          controller.error(new Error('scripted'));
        }
      },
    });
    return new Response(body, { headers });
  };

/** An address where every connection is reset as soon as a request comes. */
export function resettingUpstream(): { url: string; close(): void } {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        socket.terminate();
      },
    },
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, close: () => server.stop(true) };
}

export interface NewModel {
  model_id: string;
  type?: string;
  model_name?: string;
  prompt_price?: number;
  completion_price?: number;
  request_price?: number;
  prices?: object;
  context_length?: number;
  max_output_tokens?: number;
  capabilities?: object;
}

/** A channel to an upstream with its models, made as an administrator would; resolves to its id. */
export async function addUpstream(
  test: TestApp,
  url: string,
  models: NewModel[],
  fields: Record<string, unknown> = {},
): Promise<number> {
  const root = await test.root();
  const post = async (path: string, body: unknown): Promise<number> => {
    const answer = await root.call(path, { method: 'POST', body });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { data: { id: number } }).data.id;
  };
  const channel = { name: 'scripted', kind: 'openai', base_url: url, credential: 'up-secret-credential', ...fields };
  const id = await post('/api/admin/channels', channel);
  for (const model of models) await post('/api/admin/provider-models', { channel_id: id, ...model });
  return id;
}

/** A chat completion that says hello for that many tokens. */
export const saidHello = (promptTokens = 3, completionTokens = 2): Response =>
  Response.json({
    id: 'c',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  });

/** An event of a streamed chat completion. */
export const chatPiece = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
