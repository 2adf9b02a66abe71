import { z } from 'zod';
import { beginningOf } from '../lib/cut-text.ts';
import { listOf, objectOf, type Shape, text } from './ask-shaped.ts';
import { lenientJson } from './json.ts';
import { normalizeWhitespace } from './messages.ts';
import { isStatement, terms } from './search/terms.ts';

export interface Fact {
  category: string;
  title: string;
  content: string;
  keywords: string[];
}

/** A fact with the quote that proves it, and the message that contains the quote. */
export interface QuotedFact extends Fact {
  quote: string;
  sourceMessage: number | null;
}

/** A message that may prove facts; with its id if it is stored. */
export interface QuotableMessage {
  id: number | null;
  text: string;
}

/** A shorter quote occurs in any text and proves nothing, unless it is a statement or all that was said. */
const shortestQuote = 8;
/** More facts than this from one turn are noise. */
const mostFacts = 10;
/** Two facts that share this much of their words count as the same. */
const sameWords = 0.75;
/** So do two facts whose vectors have this cosine similarity. */
export const sameMeaning = 0.93;

const factSchema = z.object({
  category: z.string().trim().min(1).max(64).catch('general'),
  title: z.string().trim().min(1).max(200),
  content: z.string().trim().min(1).max(4000),
  keywords: z.array(z.string().trim().min(1).max(64)).max(20).catch([]),
  quote: z.string(),
});

const fact = objectOf({ category: text, title: text, content: text, keywords: listOf(text), quote: text });
export const factsShape: Shape = { name: 'facts', schema: objectOf({ facts: listOf(fact, { maxItems: mostFacts }) }) };

/** Longer quotes are cut: the proof of a fact takes a sentence or two. */
const longestQuote = 1000;

/**
 * The facts in a model's answer that quote one of the messages word for word; the others are dropped as hallucinated.
 */
export function groundedFacts(answer: string, messages: QuotableMessage[]): QuotedFact[] {
  const value = lenientJson(answer);
  const list = Array.isArray(value) ? value : (value as { facts?: unknown } | undefined)?.facts;
  if (!Array.isArray(list)) return [];
  const sources = messages.map(({ id, text }) => ({ id, text, plain: plain(text) }));
  const facts: QuotedFact[] = [];
  for (const item of list) {
    const parsed = factSchema.safeParse(item);
    if (!parsed.success) continue;
    const { quote, ...fact } = parsed.data;
    const quoted = plain(quote);
    const source = sources.find(({ plain }) => plain.includes(quoted) && proves(quoted, plain));
    if (!source || facts.length >= mostFacts || facts.some((other) => isSameFact(fact, other))) continue;
    facts.push({ ...fact, quote: beginningOf(asSaid(source, quoted), longestQuote), sourceMessage: source.id });
  }
  return facts;
}

/** "我吃素" and "Я веган" say in a few letters what takes a sentence in English. */
function proves(quoted: string, message: string): boolean {
  if (quoted.length >= shortestQuote || isStatement(quoted)) return true;
  const words = wordsIn(quoted);
  return words.length >= 2 && message.length < 2 * shortestQuote && words.join() === wordsIn(message).join();
}

const wordsIn = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** The quote in the message's own case and punctuation, if normalizing did not change the length. */
function asSaid(source: { text: string; plain: string }, quoted: string): string {
  const spaced = normalizeWhitespace(source.text);
  const at = source.plain.indexOf(quoted);
  // Some letters are longer in lower case, which shifts the offsets after them.
  return spaced.length === source.plain.length ? spaced.slice(at, at + quoted.length) : quoted;
}

/** Case, whitespace and the style of quotation marks may differ; words may not. */
const plain = (text: string): string =>
  normalizeWhitespace(text.replace(/[“”„«»]/g, '"').replace(/[‘’]/g, "'")).toLowerCase();

type Worded = Pick<Fact, 'title' | 'content'>;

/** Whether two facts say the same by their words. Under the same title, a changed value is an update of the fact. */
export function isSameFact(a: Worded, b: Worded): boolean {
  if (areDistinctFacts(a, b)) return false;
  const { shared, all, least } = compared(a.content, b.content);
  const alike = all === 0 ? plain(a.content) === plain(b.content) : shared / all >= sameWords;
  return alike || (plain(a.title) === plain(b.title) && shared / Math.max(1, least) >= 0.5);
}

/** Words by which a fact may exceed twice the length of another one and still repeat it. */
const slack = 4;

/**
 * Whether two facts differ, however similar in words and meaning: a sentence does not repeat a page, and the same
 * statement about something else (the titles differ) is not a repetition.
 */
export function areDistinctFacts(a: Worded, b: Worded): boolean {
  const { shared, all, least, most } = compared(a.content, b.content);
  if (most > 2 * least + slack) return true;
  const title = compared(a.title, b.title);
  return shared < least && shared / all >= 0.5 && title.shared / Math.max(1, title.all) < 0.5;
}

/** Counts the words of two texts: shared, in total, in the shorter and in the longer one. */
function compared(a: string, b: string) {
  const [left, right] = [new Set(terms(a)), new Set(terms(b))];
  const shared = left.intersection(right).size;
  const [least, most] = [Math.min(left.size, right.size), Math.max(left.size, right.size)];
  return { shared, all: left.union(right).size, least, most };
}
