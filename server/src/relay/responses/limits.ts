import { AppError } from '../../lib/errors.ts';
import type { Item } from './keeper.ts';

const mebibyte = 1024 * 1024;

/**
 * Limits of a request's own input and of what it builds on: what a process reads, converts and sends for one answer.
 * Sizes are stored beside the texts, so that excess is refused before reading.
 */
export const limits = {
  broughtItems: 5_000,
  broughtBytes: 16 * mebibyte,
  historyItems: 10_000,
  historyBytes: 32 * mebibyte,
  /** Responses in a chain. */
  links: 1_000,
  /** Items added to a conversation per call, as at OpenAI. */
  addedItems: 20,
  addedBytes: 8 * mebibyte,
  /** Queued or running background responses of one user: more would delay others. */
  running: 100,
  /** Of these, in progress in one process: a fourth of what it works on, so that others find a place. */
  runningHere: 32,
};

export const bytesOf = (texts: readonly string[]): number =>
  texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);

const tooLarge = (param: string, message: string) => new AppError('request_too_large', message, { param });
const tooMany = (param: string, message: string) => new AppError('invalid_value', message, { param });

/** A request's input, if it is to be stored. */
export function admitItems(items: readonly Item[]): void {
  if (items.length > limits.broughtItems)
    throw tooMany('input', `'input' has ${items.length} items; at most ${limits.broughtItems} can be stored.`);
  admitBytes(items, 'input', limits.broughtBytes);
}

/** Items added to a conversation: short references may name large items. */
export const admitAdded = (items: readonly Item[]): void => admitBytes(items, 'items', limits.addedBytes);

function admitBytes(items: readonly Item[], param: string, most: number): void {
  let bytes = 0;
  for (const item of items) {
    bytes += Buffer.byteLength(JSON.stringify(item));
    if (bytes > most)
      throw tooLarge(param, `'${param}' is larger than ${most / mebibyte} MiB, the most that can be stored.`);
  }
}

const howToGoOn = 'Compact it with /v1/responses/compact and continue from the result.';

/** What a request builds on. */
export function admitHistory(param: string, { items, bytes }: { items: number; bytes: number }): void {
  if (items > limits.historyItems)
    throw tooMany(param, `The conversation has ${items} items; the maximum is ${limits.historyItems}. ${howToGoOn}`);
  if (bytes > limits.historyBytes)
    throw tooLarge(param, `The conversation is larger than ${limits.historyBytes / mebibyte} MiB. ${howToGoOn}`);
}

export const tooLong = () =>
  tooMany(
    'previous_response_id',
    `More than ${limits.links} responses are chained by previous_response_id. ${howToGoOn}`,
  );

export const fullConversation = () =>
  tooMany(
    'items',
    `A conversation may have at most ${limits.historyItems} items and ${limits.historyBytes / mebibyte} MiB.`,
  );
