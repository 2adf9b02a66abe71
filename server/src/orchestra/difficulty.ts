import type { Difficulty } from './params.ts';
import type { Kind } from './patterns.ts';

/** Each distinct match adds its points; together with kind and length they estimate the difficulty of a request. */
const signs: [points: number, words: RegExp][] = [
  // Hard in any context.
  [
    3,
    /\b(pro(?:ve|of)s?|deriv(?:e|es|ing|ation)|theorem|rigorous\w*|show that|lock-free|race conditions?|dead-?lock\w*|in[- ]depth|comprehensive\w*|from scratch|root cause|thesis|dissertation)\b/gi,
  ],
  // Needs long chains of thought, or rare knowledge.
  [
    2,
    /\b(design\w*|architect\w*|optimi[sz]\w*|complex\w*|concurren\w*|parallelism|threads?|distributed|consensus|fault[- ]toleran\w*|security|vulnerabilit\w*|algorithms?|formal(?:ly)?|strateg\w+|causal\w*|debug\w*|contradict\w*|inconsisten\w*|reconcil\w*|trade-?offs?|implicit\w*|implications?|subtle\w*|diagnos\w*)\b/gi,
  ],
  // Several conditions at once, or judgement or craft.
  [
    1,
    /\b(without|so that|such that|whenever|unless|even if|while (?:keep|preserv|maintain)\w*|storage|preserv\w*|exactly|precise\w*|every|each|across|consisten\w*|conflict\w*|including|must|at (?:least|most)|under (?:load|which)|step[- ]by[- ]step|constraints?|edge cases?|assum\w+|critiqu\w*|justif\w*|argu\w+|objections?|evidence|methods?|weigh\w*|legal\w*|law|contracts?|clauses?|patents?|rulings?|medical\w*|clinical\w*|poems?|rhym\w*|metaphors?|satir\w*|ironic|essays?|novels?|chapters?|failures?|fails?)\b/gi,
  ],
  // Explaining is harder than looking up.
  [
    1,
    /\b(why|how (?:do|does|did|can|could|should|would|is|are|come)|explain|what (?:follows|happens) (?:if|when|for))\b/gi,
  ],
  // Small by its own wording.
  [
    -1,
    /\b(one[- ]?lin(?:e|er|ers)|(?:in )?(?:a|one|this|that) (?:sentence|word|line|phrase)|the word|short|brief\w*|quick\w*|simple|simply|trivial|basic|tl;?dr|gist|rename|typos?|proofread|spell\w*|rephrase|reword|what (?:is|are|does|was)|what['’]s|who|when (?:is|was|would|did)|where|how (?:many|much|old|long|far))\b/gi,
  ],
];

/**
 * Kinds of work that start at one point, because even their simplest form takes some thought; the others start at zero.
 */
const demanding = new Set<Kind>(['code', 'math', 'writing', 'analysis']);
/** Only this many characters of a request are scored; the rest is mostly pasted text. */
const read = 600;
/** Code blocks are removed from the first this many characters, before the limit above applies. */
const looked = 20_000;
/** Number of words from which a request usually has conditions, and from which it has many. */
const someWords = 11;
const manyWords = 19;
/** A text longer than this is real work, whatever it asks. */
const longText = 6000;

/** Points from which work counts as medium, and from which it counts as hard. */
const medium = 1;
const hard = 4;

/**
 * Estimates the difficulty of a request by its words. Only a guess: learned outcomes correct it, see triage and model
 * choice.
 */
export function difficultyOf(kind: Kind, text: string): Difficulty {
  if (kind === 'chat') return 'easy';
  const asked = text
    .slice(0, looked)
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .slice(0, read);
  const words = asked.split(/\s+/).filter(Boolean).length;
  let points = (demanding.has(kind) ? 1 : 0) + (words >= manyWords ? 2 : words >= someWords ? 1 : 0);
  for (const [weight, pattern] of signs) {
    points += weight * new Set(asked.match(pattern)?.map((word) => word.toLowerCase())).size;
  }
  if (text.length > longText) points = Math.max(points, medium) + 1;
  return points >= hard ? 'hard' : points >= medium ? 'medium' : 'easy';
}
