import { pick } from '../seeded.ts';
import { coverage, keyTerms, sentences, shorten, summarise } from '../text.ts';

export interface Said {
  role: string;
  text: string;
}

export interface Turn {
  text: string;
  /** All earlier messages, including reference material. */
  earlier: Said[];
  random: () => number;
  long: boolean;
}

type Rule = (turn: Turn) => string | null;

const quote = (text: string): string => `“${shorten(text.trim(), 400)}”`;

const exactWords: Rule = ({ text }) => {
  const asked = text.match(
    /^\s{0,9}(?:please\s)?(?:say|repeat|echo|(?:reply|respond|answer) (?:with )?(?:only|just|exactly))\s{0,9}:?\s{1,9}(\S.*)$/is,
  )?.[1];
  return asked?.match(/^["“](.+?)["”]/s)?.[1] ?? asked?.trim() ?? null;
};

const greeting: Rule = ({ text, random }) =>
  /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|howdy)\b[^?]{0,40}$/i.test(text.trim())
    ? pick(
        [
          'Hello! What can I do for you?',
          'Hi there! Ask me to count, to repeat or to summarise.',
          'Hello! How can I help?',
        ],
        random,
      )
    : null;

const whatISaid: Rule = ({ text, earlier }) => {
  if (!/\bwhat (?:did|have) i\b|\bmy (?:first|last|previous) (?:message|question)/i.test(text)) return null;
  const said = earlier.filter((one) => one.role === 'user').map((one) => quote(one.text));
  if (said.length === 0) return 'This is your first message here, so there is nothing earlier to quote.';
  return `You said:\n${said.join('\n')}`;
};

const summary: Rule = (turn) => {
  if (!/\bsummar(?:y|i[sz]e)|\btl;?dr\b|\bsum up\b/i.test(turn.text)) return null;
  const body = turn.text.replace(/^[^\n:]*\bsummar(?:y|i[sz]e)[^\n:]*:?\s*/i, '');
  const source =
    body.length > 80
      ? body
      : turn.earlier
          .filter((one) => one.role !== 'system')
          .map((one) => one.text)
          .join('\n');
  if (!source.trim()) return body ? `In short: ${body}` : 'There is nothing to summarise yet.';
  return `In short: ${shorten(summarise(source, turn.long ? 5 : 3), 1200)}`;
};

/** "Count to 9", "count from 3 to 7": an answer of known length, to test limits and stop words. */
const counting: Rule = ({ text }) => {
  const [, from = '1', to] = text.match(/\bcount (?:from (\d{1,9}) )?to (\d{1,9})\b/i) ?? [];
  // A thousand numbers exceed any useful output limit.
  const length = Math.min(1_000, Number(to) - Number(from) + 1);
  return length > 0 ? Array.from({ length }, (_, index) => Number(from) + index).join(', ') : null;
};

/** Answers with the sentence of the conversation that shares most words with the question. */
const fromConversation: Rule = (turn) => {
  const question = sentences(turn.text).findLast((sentence) => sentence.endsWith('?'));
  if (!question) return null;
  const said = [...turn.earlier.map((one) => one.text), turn.text]
    .flatMap(sentences)
    .filter((sentence) => !sentence.endsWith('?'));
  const best = said
    .map((sentence) => ({ sentence, share: coverage(question, sentence) }))
    .sort((a, b) => b.share - a.share)[0];
  if (!best || best.share < 0.4) return null;
  return `According to the conversation: ${quote(best.sentence)}`;
};

const restate: Rule = (turn) => {
  const terms = keyTerms(turn.text, 5);
  const opening = pick(['I understood the request as', 'What was asked:', 'The request, in short:'], turn.random);
  const parts = [`${opening} ${quote(summarise(turn.text, 2))}`];
  if (terms.length > 0) parts.push(`Its main points are ${terms.join(', ')}.`);
  if (turn.long && terms.length > 0) {
    parts.push(
      terms
        .map((term, index) => `${index + 1}. ${term}: what it is, why it matters here, and what to do about it.`)
        .join('\n'),
    );
  }
  return parts.join(turn.long ? '\n\n' : ' ');
};

const rules: Rule[] = [exactWords, greeting, whatISaid, summary, counting, fromConversation, restate];

/** The first matching rule's answer; the last rule matches everything. */
export const firstThatFits = (turn: Turn): string => {
  for (const rule of rules) {
    const said = rule(turn);
    if (said !== null) return said;
  }
  return '';
};
