import { z } from 'zod';
import { listOf, objectOf, type Shape, text } from './ask-shaped.ts';
import { lenientJson } from './json.ts';
import { squeeze } from './messages.ts';
import { terms } from './search/terms.ts';

export interface Fact {
  category: string;
  title: string;
  content: string;
  keywords: string[];
}

/** A fact with the words that prove it, and the message they stand in. */
export interface QuotedFact extends Fact {
  quote: string;
  sourceMessage: number | null;
}

/** A message that may prove facts; its id where it is stored. */
export interface Said {
  id: number | null;
  text: string;
}

/** A quote shorter than this is found in any text and proves nothing. */
const shortestQuote = 8;
/** More facts than this from one turn are noise. */
const mostFacts = 10;
/** Two facts that share this much of their words say the same thing. */
const sameWords = 0.75;
/** And so do two whose meanings are this near. */
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

/** Longer quotes are cut: what proves a fact stands in a sentence or two. */
const longestQuote = 1000;

/** The facts of a model's answer that quote one of the messages word for word; the rest is dropped as made up. */
export function groundedFacts(answer: string, messages: Said[]): QuotedFact[] {
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
    const source = quoted.length < shortestQuote ? undefined : sources.find(({ plain }) => plain.includes(quoted));
    if (!source || facts.length >= mostFacts || facts.some((other) => repeats(fact, other))) continue;
    facts.push({ ...fact, quote: asSaid(source, quoted).slice(0, longestQuote), sourceMessage: source.id });
  }
  return facts;
}

/** The quote as it stands in the message, in its own case and marks where nothing but spaces was folded. */
function asSaid(source: { text: string; plain: string }, quoted: string): string {
  const spaced = squeeze(source.text);
  const at = source.plain.indexOf(quoted);
  // Letters whose lower case is longer shift what follows.
  return spaced.length === source.plain.length ? spaced.slice(at, at + quoted.length) : quoted;
}

/** Case, spaces and the shape of quotation marks may differ; words may not. */
const plain = (text: string): string => squeeze(text.replace(/[“”„«»]/g, '"').replace(/[‘’]/g, "'")).toLowerCase();

/** Whether two facts say the same by their words. Under one title a changed value is the fact anew. */
export function repeats(a: Pick<Fact, 'title' | 'content'>, b: Pick<Fact, 'title' | 'content'>): boolean {
  const [left, right] = [a, b].map((fact) => new Set(terms(fact.content)));
  const shared = [...left!].filter((term) => right!.has(term)).length;
  const all = new Set([...left!, ...right!]).size;
  const alike = all === 0 ? plain(a.content) === plain(b.content) : shared / all >= sameWords;
  return alike || (plain(a.title) === plain(b.title) && shared / Math.max(1, Math.min(left!.size, right!.size)) >= 0.5);
}
