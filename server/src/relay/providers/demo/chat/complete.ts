import { AppError } from '../../../../lib/errors.ts';
import type { Tokens } from '../../../../lib/tokens.ts';
import { findDemoModel } from '../models.ts';
import { askedSchema } from './asked-schema.ts';
import { knownSchema } from './known-schemas.ts';
import { type ChatMessage, type ChatRequest, lastUserText, textOf, toRead } from './request.ts';
import { answer, respond } from './respond.ts';
import type { Schema } from './schema.ts';
import { synthesise } from './synthesise.ts';
import { chooseToolCalls, type ToolCall } from './tool-calls.ts';

export interface Choice {
  index: number;
  content: string | null;
  toolCalls: ToolCall[];
  finishReason: 'stop' | 'length' | 'tool_calls';
  tokens: number;
}

export interface Completion {
  choices: Choice[];
  usage: Record<string, unknown>;
}

/** The content of a chat answer, before it is rendered as a body or stream. */
export async function complete(request: ChatRequest, tokens: Tokens): Promise<Completion> {
  const model = findDemoModel(request.model)!;
  const promptTokens = await countPrompt(request, tokens);
  if (promptTokens > model.context_length) {
    throw new AppError(
      'context_length_exceeded',
      `This model's maximum context length is ${model.context_length} tokens; the messages have ${promptTokens}.`,
      { param: 'messages' },
    );
  }
  const read = toRead(request);
  const choices: Choice[] = [];
  for (let index = 0; index < (request.n ?? 1); index += 1)
    choices.push(await makeChoice(read, index, model.max_output_tokens, tokens));
  const completionTokens = choices.reduce((sum, choice) => sum + choice.tokens, 0);
  return {
    choices,
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

async function makeChoice(request: ChatRequest, index: number, modelLimit: number, counter: Tokens): Promise<Choice> {
  const toolCalls = chooseToolCalls(request);
  if (toolCalls.length > 0) {
    const counts = await counter.countEach(toolCalls.map((call) => call.function.name + call.function.arguments));
    const tokens = counts.reduce((sum, count) => sum + count + 4, 0);
    return { index, content: null, toolCalls, finishReason: 'tool_calls', tokens };
  }
  const said = untilStop(write(request, (request.seed ?? 0) + index), request.stop);
  const limit = Math.min(request.max_completion_tokens ?? request.max_tokens ?? modelLimit, modelLimit);
  const kept = await counter.cut(said, limit);
  return { index, content: kept.text, toolCalls: [], finishReason: kept.cut ? 'length' : 'stop', tokens: kept.tokens };
}

function write(request: ChatRequest, seed: number): string {
  const long = request.model === 'demo/chat-large';
  const format = request.response_format;
  const schema = format && 'json_schema' in format ? (format.json_schema as { schema?: Schema }).schema : undefined;
  const shape = schema ?? askedSchema(request.messages);
  const known = shape && knownSchema(shape);
  if (known) return JSON.stringify(known(shape, subjectOf(request.messages)));
  if (!format || format.type === 'text') return respond(request.messages, seed, long);
  const text = lastUserText(request.messages);
  const said = answer(request.messages, seed, long);
  if (schema) return JSON.stringify(synthesise(schema, { text, answer: said }));
  return JSON.stringify(plainObject(text, said));
}

/** The last question; a complaint about an answer refers back to its question. */
function subjectOf(messages: ChatMessage[]): string {
  const asked = messages.filter((one) => one.role === 'user').map(textOf);
  return asked.findLast((text) => !/^That plan cannot be used/i.test(text)) ?? asked.at(-1) ?? '';
}

/** Without a schema, member names are taken from the wording: `with keys "city" and "country"`. */
function plainObject(text: string, said: string): unknown {
  const named = text.match(/\b(?:keys?|fields?|propert(?:y|ies)|members?)\b:?\s+([^.\n]+)/i)?.[1] ?? '';
  const quoted = [...named.matchAll(/["'`“]([\w-]{1,40})["'`”]/g)].map((match) => match[1]!);
  const bare =
    quoted.length > 0
      ? quoted
      : (named.match(/\b(?!and\b|or\b|of\b|the\b)[a-z][\w-]{0,39}(?=\s*(?:,|and\b|$))/gi) ?? []);
  if (bare.length === 0) return { answer: said, simulation: true };
  const properties = Object.fromEntries(bare.map((key) => [key, { type: 'string' }]));
  // Otherwise the names themselves would be used as values.
  const rest = text.replaceAll(/["'`“]([\w-]{1,40})["'`”]/g, (whole, name) => (bare.includes(name) ? '' : whole));
  return synthesise({ type: 'object', properties, required: bare }, { text: rest, answer: said });
}

function untilStop(text: string, stop: ChatRequest['stop']): string {
  const marks = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter(Boolean);
  const ends = marks.map((mark) => text.indexOf(mark)).filter((at) => at >= 0);
  return ends.length > 0 ? text.slice(0, Math.min(...ends)) : text;
}

/** Four tokens per message for role and framing, as in the public chat formats. */
async function countPrompt(request: ChatRequest, counter: Tokens): Promise<number> {
  const said = request.messages.map((one) => textOf(one) + (one.tool_calls ? JSON.stringify(one.tool_calls) : ''));
  const tools = request.tools?.length ? [JSON.stringify(request.tools)] : [];
  const counts = await counter.countEach([...said, ...tools]);
  return counts.reduce((sum, count) => sum + count, 3 + 4 * said.length);
}
