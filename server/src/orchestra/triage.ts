import { difficultyOf } from './difficulty.ts';
import { isEnglish, wordsOf } from './english.ts';
import { harder } from './models.ts';
import type { Difficulty } from './params.ts';
import { type Kind, type Pattern, record } from './patterns.ts';

export interface Triage {
  kind: Kind;
  difficulty: Difficulty;
  /** One task is enough; the planner is not asked. */
  single: boolean;
  /**
   * The rules only know English and cannot read this request: the plan model decides how many tasks there are and how
   * hard.
   */
  unsure: boolean;
  /** The reasons, for `include_reasoning`. */
  reasons: string[];
}

/** The first match wins, so the most specific rules come first. */
const kindRules: [Kind, RegExp][] = [
  [
    'translation',
    /\b(translat\w*|traduc\w*|übersetz\w*|into (english|french|german|spanish|italian|chinese|japanese|russian|portuguese|korean|arabic|dutch))\b/i,
  ],
  [
    'code',
    /```|\b(function|class|code|script|program|regex|sql|api|bug|stack ?trace|compile|refactor|unit tests?|typescript|javascript|python|rust|golang|java|c\+\+|html|css|bash|dockerfile|implement)\b/i,
  ],
  [
    'math',
    /\b(solve|equation|integral|derivative|prove|theorem|probability|calculate|compute|algebra|matrix|how many|percent\w*|average of)\b|\d\s*[+*^×÷]\s*\d|\d\s+[-/]\s+\d|%\s+of\b/i,
  ],
  ['summary', /\b(summar\w*|tl;?dr|recap|condense|shorten|key points|gist)\b/i],
  [
    'extraction',
    /\b(extract|list all|parse|pull out|find all|identify (all|every|the)|as json|to json|csv|classify|categori[sz]e|label)\b/i,
  ],
  [
    'analysis',
    /\b(analy[sz]e|compare|contrast|evaluate|assess|pros and cons|trade-?offs?|research|investigate|review|critique|strategy|recommend\w*)\b/i,
  ],
  [
    'writing',
    /\b(write|draft|compose|essay|story|poem|email|letter|blog|article|speech|rewrite|rephrase|proofread)\b/i,
  ],
  ['chat', /^\s*(hi|hey|hello|thanks?|thank you|ok(ay)?|yes|no|good (morning|evening|night)|bye)\b[\s\S]{0,40}$/i],
];

/** Signs that a request asks for several pieces of work. */
const severalSigns: [string, (text: string) => boolean][] = [
  ['a list of steps', (text) => (text.match(/^[ \t]*(?:\d{1,9}[.)]|[-*•])\s+\S/gmu) ?? []).length >= 2],
  [
    'an order of steps',
    (text) => {
      const first = firstStep.exec(text);
      return first !== null && laterStep.test(text.slice(first.index + first[0].length));
    },
  ],
  ['several questions', (text) => (text.match(/[?？؟]/g) ?? []).length >= 3],
  ['several tasks in a row', (text) => (text.match(taskVerbs) ?? []).length >= 3],
  ['several things compared', (text) => text.split(/[.?!]/).some(comparesSeveral)],
  [
    'a large piece of work',
    (text) =>
      /\b(report|business plan|project plan|whole (app|site|system)|end[- ]to[- ]end|roadmap|research)\b/i.test(text) &&
      text.length > 80,
  ],
];
const firstStep = /\b(first(ly)?|then|after that|afterwards|next|finally|and then|lastly)\b/i;
const laterStep = /\b(then|after that|afterwards|next|finally|and then|lastly)\b/i;
/** Matches a sentence with a comparing verb, a comma, and a further item after it. */
function comparesSeveral(sentence: string): boolean {
  const verb = /\b(compare|contrast|evaluate)\b/i.exec(sentence);
  const comma = verb ? sentence.indexOf(',', verb.index) : -1;
  return comma >= 0 && /\b(and|with|against|versus|vs)\b/i.test(sentence.slice(comma));
}
const taskVerbs =
  /\b(write|create|build|design|implement|draft|analy[sz]e|compare|summari[sz]e|translate|list|explain|calculate|research|plan|review|test|document|extract|recommend|propose|estimate)\b/gi;

/** Success rate from which experience is trusted, and below which it counts as failing. */
const reliable = 0.6;
const unreliable = 0.5;

/** Decides by rules and learned outcomes whether one task is enough, and of what kind and difficulty. */
export function triage(whole: string, patterns: Pattern[] = []): Triage {
  const text = readable(whole);
  const kind = kindOf(text);
  const reasons: string[] = [];
  const difficulty = learnedDifficulty(kind, difficultyOf(kind, text), patterns, reasons);
  const signs = severalSigns.filter(([, holds]) => holds(text)).map(([name]) => name);
  reasons.unshift(`${kind} task of ${difficulty} difficulty`);
  const sorted = { kind, difficulty, unsure: false };
  if (!isEnglish(text) && wordsOf(text).length > fewWords) {
    const asks = signs.length > 0 ? `asks for ${signs.join(', ')}` : 'not in English, so the planner is asked';
    return { ...sorted, unsure: true, single: false, reasons: [asks] };
  }
  if (signs.length === 0) return { ...sorted, single: true, reasons: [...reasons, 'one task will do'] };
  const past = record(patterns, (pattern) => pattern.kind === kind && pattern.difficulty === difficulty);
  if (signs.length === 1 && difficulty !== 'hard' && past && past.low >= reliable) {
    return { ...sorted, single: true, reasons: [...reasons, `${signs[0]}, but one task has served such requests`] };
  }
  return { ...sorted, single: false, reasons: [...reasons, `asks for ${signs.join(', ')}`] };
}

/** A greeting, thanks or a plain question: nothing to plan, in any language. */
const fewWords = 3;

/** The actual request is at the start or the end; between them is pasted text, possibly megabytes of it. */
const readAtStart = 6_000;
const readAtEnd = 2_000;
const readable = (text: string): string =>
  text.length <= readAtStart + readAtEnd ? text : `${text.slice(0, readAtStart)}\n${text.slice(-readAtEnd)}`;

export function kindOf(whole: string): Kind {
  const text = readable(whole);
  return kindRules.find(([, rule]) => rule.test(text))?.[0] ?? 'question';
}

/** Raises the difficulty if this kind of task has failed too often at the guessed one. */
function learnedDifficulty(kind: Kind, guess: Difficulty, patterns: Pattern[], reasons: string[]): Difficulty {
  const past = record(patterns, (pattern) => pattern.kind === kind && pattern.difficulty === guess);
  if (guess === 'hard' || !past || past.high >= unreliable) return guess;
  reasons.push(`${kind} tasks taken for ${guess} have often failed`);
  return harder(guess);
}

/**
 * Checks the planner's difficulty against the wording of the task and learned outcomes: if only the planner says hard,
 * and medium work of that kind has gone well, the task starts as medium. If it fails, it is escalated as usual.
 */
export function crossChecked(planned: Difficulty, instruction: string, patterns: Pattern[]): Difficulty {
  const kind = kindOf(instruction);
  if (planned !== 'hard' || difficultyOf(kind, instruction) === 'hard') return planned;
  const past = record(patterns, (pattern) => pattern.kind === kind && pattern.difficulty === 'medium');
  return past && past.low >= reliable ? 'medium' : planned;
}
