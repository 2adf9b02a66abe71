import { trimEndOf } from '../../../../lib/trim-end.ts';
import { words } from '../text.ts';

export type Difficulty = 'easy' | 'medium' | 'hard';

export interface Part {
  text: string;
  /** A new stage ("then") that needs the previous one, as opposed to a parallel one ("and"). */
  follows: boolean;
}

const verbs = new Set(
  (
    'add analyse analyze answer build calculate check choose collect compare compose compute convert count create define deploy ' +
    'describe design determine develop document draft draw estimate evaluate explain extract fetch find fix generate give identify ' +
    'implement improve install list look make measure name optimise optimize organise outline plan prepare print propose prove ' +
    'recommend refactor rename report research review rewrite run say schedule search send set show sketch solve sort suggest ' +
    'summarise summarize tell test translate update verify write'
  ).split(' '),
);
const hardWords =
  /\b(?:architect|design|prove|refactor|optimi[sz]e|debug|implement|develop|analy[sz]e|evaluate|strategy|algorithm)\w*/i;
const easyWords = /\b(?:list|name|say|greet|define|count|what is|give|tell|translate|print|spell)\b/i;

export function difficultyOf(text: string): Difficulty {
  if (hardWords.test(text) || words(text).length > 60) return 'hard';
  return easyWords.test(text) || words(text).length <= 5 ? 'easy' : 'medium';
}

/** The separate tasks of a request: a numbered or bulleted list, else sentences split at "then" and "and <verb>". */
export function splitRequest(request: string): Part[] {
  const numbered = request.split(/(?:^|\s)(?:\d{1,2}[.)]|\([0-9a-z]\))\s{1,9}/).slice(1);
  if (numbered.length > 1) return numbered.map((text, index) => part(text, index > 0 && refersBack(text)));
  const bullets = [...request.matchAll(/^[ \t]*[-*•][ \t]+(\S.*)$/gm)];
  if (bullets.length > 1) return bullets.map((match) => part(match[1]!, refersBack(match[1]!)));
  const pieces = request
    .split(/(?<=[.!?;])\s+|\n+/)
    .flatMap((sentence) => splitSentence(sentence))
    .filter((piece) => words(piece.text).length > 0);
  const asked = pieces.filter((piece, index) => index === 0 || isRequest(piece.text));
  return asked.length > 1 ? asked : [part(request, false)];
}

const refersBack = (text: string): boolean =>
  /\b(?:then|finally|afterwards|previous|above|result|both|them|based on)\b/i.test(text);

const isRequest = (text: string): boolean => verbs.has(words(text)[0] ?? '') || /\?\s*$/.test(text);

const part = (text: string, follows: boolean): Part => ({
  text: trimEndOf(
    text.trim().replace(/^(?:(?:and|then|finally|next|also|please|after that|afterwards)\b[,\s]*)+/i, ''),
    ';,. \t\n\r',
  ),
  follows: follows || refersBack(text),
});

// "apples and pears" is one task; "list apples and count pears" is two.
const betweenVerbs = new RegExp(`(?:,\\s*|,?\\s+and\\s+)(?:also\\s+)?(?=(?:${[...verbs].join('|')})\\b)`, 'i');

const splitSentence = (sentence: string): Part[] =>
  sentence
    .split(/,?\s{0,9}\b(?:and\s{1,9})?(?=(?:then|after that|afterwards|finally)\b)/i)
    .flatMap((step, stepIndex) =>
      step.split(betweenVerbs).map((piece, index) => part(piece, stepIndex > 0 && index === 0)),
    );
