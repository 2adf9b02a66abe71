import { pick } from '../seeded.ts';
import { coverage, keyTerms, sentences, shorten, summarise } from '../text.ts';
import { findArithmetic } from './arithmetic.ts';
import { listFor } from './known-lists.ts';

export interface Said {
  role: string;
  text: string;
}

export interface Turn {
  text: string;
  /** Everything before it, reference material included. */
  earlier: Said[];
  random: () => number;
  long: boolean;
}

type Rule = (turn: Turn) => string | null;

const quote = (text: string): string => `“${shorten(text.trim(), 400)}”`;
const saidBefore = (turn: Turn): string[] => turn.earlier.filter((one) => one.role === 'user').map((one) => one.text);

const exactWords: Rule = ({ text }) => {
  const asked = text.match(
    /^(?:please\s+)?(?:(?:repeat|echo)(?:\s+(?:after me|back|this|exactly))*|(?:say|reply|respond|answer|output|print|write)(?:\s+(?:with|only|just|exactly|the words?|the text|back))*)\s*[:,]?\s+(?:["“](.+?)["”]\.?|(.+))$/is,
  );
  if (!asked) return null;
  if (asked[1]) return asked[1];
  // Without a colon or quotes only short wordings are meant literally: "write an essay about bees" is a request.
  const literal =
    /^\s*(?:please\s+)?(?:repeat|echo|say)\b/i.test(text) || /\b(?:exactly|only|just)\b|:/.test(text.slice(0, 40));
  return literal ? asked[2]!.trim() : null;
};

const greeting: Rule = ({ text, random }) =>
  /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|howdy)\b[^?]{0,40}$/i.test(text.trim())
    ? pick(
        ['Hello! What can I do for you?', 'Hi there! Ask me for a sum, a list or a summary.', 'Hello! How can I help?'],
        random,
      )
    : null;

const thanks: Rule = ({ text }) => (/^(?:thanks?|thank you)\b.{0,40}$/i.test(text.trim()) ? 'You are welcome.' : null);

const whatISaid: Rule = (turn) => {
  if (
    !/\bwhat (?:did|have) i (?:just )?(?:sa(?:y|id)|ask(?:ed)?|tell|told|write|written)|my (?:first|last|previous) (?:message|question)/i.test(
      turn.text,
    )
  )
    return null;
  const said = saidBefore(turn);
  if (said.length === 0) return 'This is your first message here, so there is nothing earlier to quote.';
  if (/\bfirst\b/i.test(turn.text)) return `Your first message was: ${quote(said[0]!)}`;
  if (said.length === 1 || /\b(?:last|previous|just)\b/i.test(turn.text)) return `You said: ${quote(said.at(-1)!)}`;
  return `You said:\n${said.map((text, index) => `${index + 1}. ${quote(text)}`).join('\n')}`;
};

const ownName: Rule = (turn) => {
  if (!/\bwhat(?:'s| is) my name\b|\bwho am i\b|\bremember my name\b/i.test(turn.text)) return null;
  const name = [...turn.earlier.map((one) => one.text), turn.text]
    .reverse()
    .map((text) => text.match(/\b(?:my name is|i am called)\s+(\p{L}[\p{L}'-]*)/iu)?.[1])
    .find(Boolean);
  return name ? `Your name is ${name}.` : 'You have not told me your name in this conversation.';
};

const introduction: Rule = ({ text }) => {
  const name = text.match(/\b(?:my name is|i am called)\s+(\p{L}[\p{L}'-]*)/iu)?.[1];
  return name && sentences(text).length <= 2
    ? `Nice to meet you, ${name}. I will remember that in this conversation.`
    : null;
};

const arithmetic: Rule = ({ text }) => {
  const found = findArithmetic(text);
  return found ? `${found.expression} = ${found.value}` : null;
};

const translation: Rule = ({ text }) =>
  /^(?:please\s+)?translate\b/i.test(text.trim())
    ? `The simulation cannot translate. The text to translate was: ${quote(text.replace(/^[^:]*:/, ''))}`
    : null;

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

const list: Rule = ({ text }) => {
  const items = listFor(text);
  if (!items) return null;
  return /^\d+$/.test(items[0]!) ? items.join(', ') : items.map((item) => `- ${item}`).join('\n');
};

/** "How many are there?" of a list given just before. */
const countItems: Rule = ({ text, earlier }) => {
  if (!/\b(?:count|how many)\b/i.test(text)) return null;
  const items = earlier.at(-1)?.text.match(/^\s*(?:[-*•]|\d+[.)])\s+\S/gm)?.length ?? 0;
  return items > 0 ? `There are ${items}.` : null;
};

/** Answers a question with the sentence of the conversation that shares most of its words. */
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

const code: Rule = ({ text }) => {
  if (!/\b(?:write|give|show|create|implement)\b.*\b(?:code|function|program|script|class)\b/i.test(text)) return null;
  const name = keyTerms(
    text.replace(/\b(?:write|give|show|create|implement|function|code|program|script|class)\w*\b/gi, ''),
    3,
  );
  const identifier =
    name.map((word, index) => (index ? word[0]!.toUpperCase() + word.slice(1) : word)).join('') || 'example';
  const task = shorten(text.trim().replace(/\s+/g, ' '), 90);
  return `A skeleton to start from:\n\n\`\`\`ts\n/** ${task} */\nexport function ${identifier}(input: string): string {\n  return input;\n}\n\`\`\``;
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

const rules: Rule[] = [
  exactWords,
  greeting,
  thanks,
  whatISaid,
  ownName,
  introduction,
  translation,
  summary,
  arithmetic,
  list,
  countItems,
  fromConversation,
  code,
  restate,
];

/** What the first fitting rule says; the last one fits everything. */
export const firstThatFits = (turn: Turn): string => {
  for (const rule of rules) {
    const said = rule(turn);
    if (said !== null) return said;
  }
  return '';
};
