import { beginningOf, endOf } from '../lib/cut-text.ts';
import { AppError } from '../lib/errors.ts';
import { sumTokens } from './context.ts';
import { type MessageGroup, messageGroupsOf, workBegins } from './message-groups.ts';
import { type ChatMessage, isInstruction, type StoredTurnMessage, textOf } from './messages.ts';
import { type Choosing, chooseTaskModel, type ModelInfo, without } from './models.ts';
import { difficulties } from './params.ts';
import type { CallParams } from './ports.ts';
import { weigh } from './tokens.ts';

/** Tokens reserved for the answer if its length is not limited. */
const usualOutput = 4096;
/** Tokenizers differ by a few percent: a prompt that just fits by our count may not fit by the vendor's. */
const certain = 0.95;
/**
 * Factor by which the input shrinks after each "too long" error, and how many such errors are retried: 0.6³ is a fifth.
 */
const lessAfterRefusal = 0.6;
const mostRefusals = 3;
/** A message is never cut below this; less would not make sense to the model. */
const leastTokens = 50;
const cutMark = '\n[…]\n';

interface Fitting {
  messages: ChatMessage[];
  params: CallParams;
  tools?: unknown[];
}

/** Input tokens that fit in the model's window beside its answer; infinite if the window is unknown. */
export function inputBudget(
  model: ModelInfo | undefined,
  { params, tools }: Pick<Fitting, 'params' | 'tools'>,
): number {
  const window = model?.contextLength ?? 0;
  if (window === 0) return Number.POSITIVE_INFINITY;
  const output = params.max_tokens ?? Math.min(usualOutput, model?.maxOutputTokens || usualOutput, window / 4);
  const forTools = tools && tools.length > 0 ? JSON.stringify(tools).length / 3 : 0;
  return Math.max(0, Math.floor((window - Math.min(output, window / 2) - forTools) * certain));
}

/**
 * Tokens available for the context: the largest room among the models for the tasks, or the room common to all of them.
 */
export function contextBudget(choosing: Choosing, mostTokens: number, which: 'largest' | 'common'): number {
  const rooms = difficulties.flatMap((difficulty) => {
    const choice = chooseTaskModel(choosing, difficulty, 'question');
    return choice ? [inputBudget(modelOf(choosing, choice.model), { params: {} })] : [];
  });
  if (rooms.length === 0) return mostTokens;
  return Math.min(mostTokens, which === 'largest' ? Math.max(...rooms) : Math.min(...rooms));
}

export const modelOf = ({ models }: Choosing, name: string): ModelInfo | undefined =>
  models.find(({ id, type }) => id === name && type === 'chat');

/**
 * Removes the models whose window is too small for the tokens. If no model can read the request, the caller must
 * shorten it.
 */
export function modelsWithWindow(choosing: Choosing, tokens: number, params: CallParams = {}): Choosing {
  const { force_model: forced } = choosing.settings;
  const chat = choosing.models.filter(({ type }) => type === 'chat');
  const small = chat.filter((model) => inputBudget(model, { params }) < tokens).map(({ id }) => id);
  if (small.length === 0) return choosing;
  if (forced ? small.includes(forced) : small.length === chat.length)
    throw new AppError(
      'context_length_exceeded',
      `The request has about ${tokens} tokens, more than ${forced ?? 'any of the models'} accepts. Shorten it.`,
      { param: 'messages' },
    );
  return without(choosing, small);
}

/** Sends what fits the model's window, and retries with less if the upstream rejects it as too long. */
export async function sendFitted<C extends Fitting, T>(
  model: ModelInfo | undefined,
  call: C,
  send: (call: C, refusals: number) => Promise<T>,
): Promise<T> {
  let room = inputBudget(model, call);
  for (let refusals = 0; ; refusals++) {
    const messages = await fitMessages(call.messages, room);
    const params = await fitOutput(model, call.params, messages);
    try {
      return await send({ ...call, messages, params }, refusals);
    } catch (error) {
      const tooLong = error instanceof AppError && error.code === 'context_length_exceeded';
      if (!tooLong || refusals === mostRefusals) throw error;
      const sent = (await weigh(messages)).reduce((sum, tokens) => sum + tokens, 0);
      room = Math.floor(Math.min(room, sent) * lessAfterRefusal);
    }
  }
}

/** Limits `max_tokens` only if the window has no room for it. */
async function fitOutput(model: ModelInfo | undefined, params: CallParams, messages: ChatMessage[]) {
  const window = model?.contextLength ?? 0;
  if (window === 0 || params.max_tokens === undefined || params.max_tokens <= window / 2) return params;
  const input = (await weigh(messages)).reduce((sum, tokens) => sum + tokens, 0);
  const room = Math.max(1, Math.floor(window * certain) - input);
  return { ...params, max_tokens: Math.min(params.max_tokens, room) };
}

/**
 * Drops messages until the rest fits: instructions and the work in hand stay, the oldest go first, a tool call together
 * with its results. If it is still too long, texts lose their middle, and what earlier calls returned before anything
 * else. The calls themselves stay as long as possible: a model that does not know of them would repeat them.
 */
export async function fitMessages(messages: ChatMessage[], room: number): Promise<ChatMessage[]> {
  if (surelyFits(messages, room)) return messages;
  const weights = await weigh(messages);
  const all = messages.map((message, id) => ({ id, message, tokens: weights[id]! }));
  const excess = sumTokens(all) - room;
  if (excess <= 0) return messages;
  const groups = messageGroupsOf(all.filter(({ message }) => !isInstruction(message)));
  const begins = workBegins(groups);
  const old = groups.slice(0, begins);
  const rounds = groups.slice(begins, -1).filter(({ members }) => members[0]!.message.role !== 'user');
  const dropped = dropOldest(old, excess);
  const earlier = rounds.flatMap(({ members }) => members.filter(({ message }) => message.role === 'tool'));
  const left = all.filter(({ id }) => !dropped.ids.has(id));
  const cut = shorten(left, earlier, excess - dropped.tokens);
  const more = dropOldest(rounds, excess - dropped.tokens - cut.tokens);
  return left.flatMap(({ id, message }) => (more.ids.has(id) ? [] : [cut.texts.get(id) ?? message]));
}

function dropOldest(groups: MessageGroup[], excess: number): { ids: Set<number>; tokens: number } {
  const ids = new Set<number>();
  let tokens = 0;
  for (const group of groups) {
    if (tokens >= excess) break;
    for (const { id } of group.members) ids.add(id);
    tokens += group.tokens;
  }
  return { ids, tokens };
}

/** Cuts the texts of `first`, the oldest first, then the longest of all to one length. */
function shorten(all: StoredTurnMessage[], first: StoredTurnMessage[], excess: number) {
  const texts = new Map<number, ChatMessage>();
  let gone = 0;
  const cutTo = ({ id, message, tokens }: StoredTurnMessage, kept: number) => {
    if (kept >= tokens) return;
    texts.set(id, withoutMiddle(message, kept / tokens));
    gone += tokens - kept;
  };
  for (const one of first) if (gone < excess) cutTo(one, Math.max(leastTokens, one.tokens - (excess - gone)));
  // The arguments of a call cannot be cut: the rest would not be JSON.
  const rest = all.filter(({ id, message }) => !texts.has(id) && !message.tool_calls && textOf(message) !== '');
  if (gone < excess) {
    const most = lengthFor(
      rest.map(({ tokens }) => tokens),
      excess - gone,
    );
    for (const one of rest) cutTo(one, most);
  }
  return { texts, tokens: gone };
}

/** The length that all longer texts are cut to, so that together they lose so many tokens. */
function lengthFor(lengths: number[], excess: number): number {
  const longest = lengths.toSorted((a, b) => b - a);
  let sum = 0;
  for (const [i, length] of longest.entries()) {
    sum += length;
    const most = Math.floor((sum - excess) / (i + 1));
    if (most >= (longest[i + 1] ?? 0)) return Math.max(leastTokens, most);
  }
  return leastTokens;
}

/** A cheap upper bound: a text never has more tokens than bytes, and most requests are far below the limit. */
function surelyFits(messages: ChatMessage[], room: number): boolean {
  if (room === Number.POSITIVE_INFINITY) return true;
  let most = 0;
  for (const message of messages) {
    if (typeof message.content !== 'string' && message.content !== null) return false;
    most += 8 + Buffer.byteLength(message.content ?? '');
    for (const call of message.tool_calls ?? []) most += 8 + Buffer.byteLength(JSON.stringify(call.function));
    if (most > room) return false;
  }
  return true;
}

function withoutMiddle(message: ChatMessage, share: number): ChatMessage {
  const shorter = (text: string): string => {
    const half = Math.floor((text.length * share - cutMark.length) / 2);
    return half <= 0
      ? beginningOf(text, Math.floor(text.length * share))
      : beginningOf(text, half) + cutMark + endOf(text, half);
  };
  const { content } = message;
  if (typeof content === 'string') return { ...message, content: shorter(content) };
  const parts = content?.map((part) => (part.text === undefined ? part : { ...part, text: shorter(part.text) }));
  return { ...message, content: parts ?? null };
}
