import { errorShapes } from '../../lib/error-shapes.ts';
import { AppError } from '../../lib/errors.ts';
import { timedString } from '../../lib/ids.ts';
import { parseFrame, SseFramer } from '../../lib/sse.ts';
import { isObject, type Json, type ToolName } from '../wire/conversation.ts';
import { echoOf } from '../wire/responses/echo.ts';
import { itemsOf } from '../wire/responses/items.ts';
import { responseObject } from '../wire/responses/response.ts';
import { joined, type Memory, type Remembered } from './memory.ts';

/** The input of a turn: a request body without connection-specific members. */
export interface Wanted {
  /** The stream on the connection; empty if none is named. */
  stream: string;
  /** Only records what the next turn builds on. */
  warmsUp: boolean;
  body: Json;
}

export function wantedBy({ type: _, stream_id, generate, stream: _1, background: _2, ...body }: Json): Wanted {
  return { stream: typeof stream_id === 'string' ? stream_id : '', warmsUp: generate === false, body };
}

export interface TurnDeps {
  memory: Memory;
  nowSeconds(): number;
  /** Sends a request with this body. */
  ask(body: string): Promise<Response>;
  send(event: string): Promise<void>;
}

const itemTexts = (items: unknown[]): string => JSON.stringify(items).slice(1, -1);

/** One response, from its request to its last event. */
export async function takeTurn(deps: TurnDeps, { stream, warmsUp, body }: Wanted): Promise<void> {
  const { previous_response_id: named, input, ...rest } = body;
  const before = deps.memory.find(named);
  const base = before ? before.base : named;
  const items = joined(before?.items ?? '', itemTexts(itemsOf(input)));
  const telling = new Telling(deps, stream, before, (id, output) =>
    deps.memory.remember(stream, {
      ...{ id, items: joined(items, itemTexts(output)) },
      ...(typeof base === 'string' && { base }),
    }),
  );
  if (warmsUp) return telling.warmUp(body);
  if (!before) return telling.relay(await deps.ask(JSON.stringify({ ...body, stream: true })));
  const asked = JSON.stringify({ ...rest, ...(base !== undefined && { previous_response_id: base }), stream: true });
  // The history may have megabytes, which need no parsing here.
  await telling.relay(await deps.ask(`{"input":[${items}],${asked.slice(1)}`));
}

/** An error as a separate event: there is no response. */
export const errorEvent = (error: AppError, stream = ''): string =>
  withStream(stream, {
    ...{ type: 'error', status: error.status, ...errorShapes.openai(error), headers: error.extras.headers ?? {} },
  });

/**
 * Input for a response in progress. No other vendor can take it in, so it is refused as OpenAI does for models without
 * it: the response goes on, and clients send the input as the next turn.
 */
export const steerFailed = ({ input, previous_response_id }: Json): string =>
  JSON.stringify({
    type: 'response.steer.failed',
    sequence_number: 0,
    error: {
      code: 'steering_not_supported',
      message: 'Responses in progress cannot be steered here; send the input as the next turn.',
      type: 'invalid_request_error',
    },
    steer: { input, previous_response_id },
  });

const withStream = (stream: string, event: Json): string =>
  JSON.stringify(stream === '' ? event : { ...event, stream_id: stream });

const noTools: ReadonlyMap<string, ToolName> = new Map();
const ends = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error']);

/** Forwards the events of one response to the client. */
class Telling {
  #ended = false;

  constructor(
    readonly deps: TurnDeps,
    readonly stream: string,
    readonly before: Remembered | undefined,
    readonly remember: (id: string, output: unknown[]) => void,
  ) {}

  async relay(answer: Response): Promise<void> {
    if (!answer.ok || !answer.body) return this.#refuse(answer);
    const framer = new SseFramer();
    for await (const chunk of answer.body)
      for (const frame of framer.push(chunk)) {
        const event = parseFrame(frame);
        if (event && event.data !== '[DONE]') await this.#pass(event.event, event.data);
      }
    if (!this.#ended) throw new AppError('provider_error', 'The response was interrupted.');
  }

  /** Calls no model and costs nothing. */
  async warmUp(body: Json): Promise<void> {
    const id = `resp_${timedString(32)}`;
    const created = this.deps.nowSeconds();
    const options = { id, model: String(body.model ?? ''), created, echo: { members: echoOf(body), tools: noTools } };
    this.remember(id, []);
    const usage = { promptTokens: 0, completionTokens: 0 };
    for (const [at, status] of (['in_progress', 'completed'] as const).entries()) {
      const type = at === 0 ? 'response.created' : 'response.completed';
      const response = responseObject(options, { status, output: [], ...(at === 1 && { usage }) });
      await this.deps.send(withStream(this.stream, { type, sequence_number: at, response }));
    }
  }

  async #refuse(answer: Response): Promise<void> {
    const { error } = (await answer.json()) as { error: Json };
    const headers: Json = {};
    for (const name of ['x-request-id', 'retry-after', 'retry-after-ms']) {
      const value = answer.headers.get(name);
      if (value !== null) headers[name] = value;
    }
    await this.deps.send(withStream(this.stream, { type: 'error', status: answer.status, error, headers }));
  }

  /** Deltas are forwarded unchanged; events with a whole response name what it builds on, and are remembered. */
  async #pass(type: string, data: string): Promise<void> {
    this.#ended ||= ends.has(type);
    if (!data.includes('"response":{') && type !== 'error') {
      // Every event is an object with members.
      const named = this.stream === '' ? data : `{"stream_id":${JSON.stringify(this.stream)},${data.slice(1)}`;
      return this.deps.send(named);
    }
    const event = JSON.parse(data) as Json;
    const { response } = event;
    if (isObject(response)) {
      if (this.before) response.previous_response_id = this.before.id;
      if (type === 'response.completed' || type === 'response.incomplete') this.#note(response);
    } else if (type === 'error') event.status ??= 500;
    return this.deps.send(withStream(this.stream, event));
  }

  #note({ id, store, output }: Json): void {
    if (store === false && typeof id === 'string' && Array.isArray(output)) this.remember(id, output);
  }
}
