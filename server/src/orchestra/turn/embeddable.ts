import { beginningOf } from '../../lib/cut-text.ts';
import { AppError } from '../../lib/errors.ts';
import type { Choosing } from '../models.ts';

/** The most characters of a text that are embedded: what a vector says of longer ones is of no use. */
const longest = 8000;
/** Tokens that most embedding models read. */
const usualWindow = 8192;
/** Tokens per character, as models count them whose vocabulary knows few scripts. */
const perAscii = 1 / 3.5;
const perOther = 1.3;
/** A text that is refused is not tried any shorter: its length is not the reason. */
const shortest = 1000;

/** The beginning of the text, as much as the model reads: others refuse a longer text instead of ignoring the rest. */
export function embeddable({ models }: Pick<Choosing, 'models'>, model: string, whole: string): string {
  const window = models.find(({ id, type }) => id === model && type === 'embedding')?.contextLength || usualWindow;
  const text = beginningOf(whole.trim(), longest);
  let room = window * 0.95;
  for (let i = 0; i < text.length; i += 1) {
    room -= text.charCodeAt(i) < 128 ? perAscii : perOther;
    if (room < 0) return beginningOf(text, Math.max(1, i));
  }
  return text;
}

const refusals: ReadonlySet<string> = new Set(['context_length_exceeded', 'request_too_large', 'upstream_refused']);

/** Whether the model refuses what it was sent; other texts, or a shorter one, it may take. */
export const isRefused = (error: unknown): boolean => error instanceof AppError && refusals.has(error.code);

/** What may be sent instead of a text that was refused; null if it is short already. */
export const halved = (text: string): string | null =>
  text.length <= shortest ? null : beginningOf(text, Math.max(shortest, text.length / 2));
