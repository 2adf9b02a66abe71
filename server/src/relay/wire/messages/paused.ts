import { sseEvent } from '../../../lib/sse.ts';
import { isObject, type Json } from '../conversation.ts';
import { readMessagesTool } from '../web-search.ts';
import { parseInput } from './answer.ts';

const isPaused = (reason: unknown): boolean => reason === 'pause_turn';

const counted = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Adds all numbers of two usage objects, recursively. */
function sum(one: Json, other: Json): Json {
  const total: Json = { ...one };
  for (const name in other) {
    const [before, more] = [one[name], other[name]];
    if (isObject(more)) total[name] = sum(isObject(before) ? before : {}, more);
    else total[name] = typeof more === 'number' ? counted(before) + more : more;
  }
  return total;
}

/**
 * Joins several answers into one message: Anthropic pauses long turns, such as those with web searches, and continues
 * when its output is sent back. Other formats cannot express that.
 */
export class PausedMessage {
  /** All output so far, to be sent back. */
  readonly #blocks: Json[] = [];
  /** Number of blocks of the previous answers. */
  #before = 0;
  #spent: Json = {};
  #usage: Json = {};
  #input = '';
  #pause: Json | undefined;

  get isPaused(): boolean {
    return this.#pause !== undefined;
  }

  /** An event as the client should see it; empty if it is to be hidden. */
  event(event: Json): string {
    if (event.type === 'message_start') return this.#start(event);
    if (event.type === 'message_delta') return this.#end(event);
    if (event.type === 'message_stop' && this.isPaused) return '';
    if (typeof event.index !== 'number') return written(event);
    this.#gather(event);
    return written({ ...event, index: this.#before + event.index });
  }

  /** A whole answer, with the output before it. */
  whole(answer: Json): Json {
    this.#usage = isObject(answer.usage) ? answer.usage : {};
    if (Array.isArray(answer.content)) this.#blocks.push(...answer.content.filter(isObject));
    const joined = { ...answer, content: [...this.#blocks], usage: this.#total };
    this.#pause = isPaused(answer.stop_reason) ? joined : undefined;
    return joined;
  }

  /** The request that continues the turn; null if there is no room for more. */
  goesOnWith(request: Json): Json | null {
    const left = counted(request.max_tokens) - counted(this.#total.output_tokens);
    if (left <= (isObject(request.thinking) ? counted(request.thinking.budget_tokens) : 0)) return null;
    // Written by this service.
    const messages = request.messages as Json[];
    const tools = request.tools as Json[];
    const goingOn = (blocks: Json[]) => [...messages, { role: 'assistant', content: blocks }];
    const less = tools.map((tool, i) => (readMessagesTool(tool, `tools[${i}]`) ? this.#withLess(tool) : tool));
    return less.some(({ max_uses: uses }) => typeof uses === 'number' && uses < 1)
      ? // None at all cannot be asked for, and without the tool what was found would not be understood.
        { ...request, max_tokens: left, messages: goingOn(this.#done), tool_choice: { type: 'none' } }
      : { ...request, max_tokens: left, messages: goingOn([...this.#blocks]), tools: less };
  }

  /** The output without a search that has not run yet. */
  get #done(): Json[] {
    const found = new Set(this.#blocks.map(({ tool_use_id: id }) => id));
    return this.#blocks.filter(({ type, id }) => type !== 'server_tool_use' || found.has(id));
  }

  /** The next answer follows. */
  goOn(): void {
    this.#spent = this.#total;
    this.#usage = {};
    this.#before = this.#blocks.length;
    this.#pause = undefined;
  }

  /** The end of a stream that cannot be continued. */
  stop(): string {
    return this.#pause ? written({ ...this.#pause, usage: this.#total }) + written({ type: 'message_stop' }) : '';
  }

  get #total(): Json {
    return sum(this.#spent, this.#usage);
  }

  /** The search limit applies to the whole answer. */
  #withLess(tool: Json): Json {
    if (typeof tool.max_uses !== 'number') return tool;
    const { server_tool_use: used } = this.#total;
    const left = tool.max_uses - (isObject(used) ? counted(used.web_search_requests) : 0);
    return { ...tool, max_uses: left };
  }

  #start(event: Json): string {
    const usage = isObject(event.message) ? event.message.usage : undefined;
    this.#usage = isObject(usage) ? usage : {};
    return this.#before === 0 ? written(event) : '';
  }

  #end(event: Json): string {
    if (isObject(event.usage)) this.#usage = { ...this.#usage, ...event.usage };
    if (!isObject(event.delta) || !isPaused(event.delta.stop_reason)) return written({ ...event, usage: this.#total });
    this.#pause = event;
    return '';
  }

  #gather(event: Json): void {
    if (event.type === 'content_block_start' && isObject(event.content_block)) {
      this.#blocks.push({ ...event.content_block });
      this.#input = '';
    }
    const block = this.#blocks.at(-1);
    if (!block) return;
    if (event.type === 'content_block_delta' && isObject(event.delta)) this.#add(block, event.delta);
    if (event.type === 'content_block_stop' && this.#input !== '') block.input = parseInput(this.#input);
  }

  #add(block: Json, delta: Json): void {
    if (delta.type === 'input_json_delta') this.#input += delta.partial_json;
    else if (delta.type === 'citations_delta')
      block.citations = [...(Array.isArray(block.citations) ? block.citations : []), delta.citation];
    else
      for (const name of ['text', 'thinking', 'signature'])
        if (typeof delta[name] === 'string') block[name] = `${block[name] ?? ''}${delta[name]}`;
  }
}

const written = (event: Json): string => sseEvent(`${event.type}`, JSON.stringify(event));
