/**
 * `then[\s\S]*finally` on a thousand repetitions of `then`: the search restarts at each of them and runs to the end
 * every time. This happens whenever an unbounded repetition can match what precedes it in the pattern, and what follows
 * can fail. The backtracking checker detects only the simplest cases.
 */
import type { AST } from '@eslint-community/regexpp';

/** One character of every kind that patterns distinguish. */
const probes = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...'éÉß\u00a0\u2028×÷−’“”•…漢ひカกдΩ٣🎉\u0301\uFFFD',
];
const wordChars = probes.filter((char) => /\w/.test(char));
const newlines = ['\n', '\r', '\u2028'];
type Chars = ReadonlySet<string>;

export function restarts(pattern: AST.Pattern, flags: string): string[] {
  if (flags.includes('y')) return [];
  const judge = new Judge(flags);
  for (const alternative of pattern.alternatives) judge.walk(alternative.elements, [], []);
  return judge.slow.map((raw) => `restarts within ${raw}`);
}

class Judge {
  readonly slow: string[] = [];
  readonly #known = new Map<string, Chars>();
  readonly #flags: string;

  constructor(readonly flags: string) {
    this.#flags = flags.replace(/[gymd]/g, '');
  }

  /** Visits elements in order, with what precedes and follows them. */
  walk(elements: readonly AST.Element[], before: readonly AST.Element[], after: readonly AST.Element[]): void {
    elements.forEach((element, i) => {
      const prefix = [...before, ...elements.slice(0, i)];
      const suffix = [...elements.slice(i + 1), ...after];
      if (
        element.type === 'Quantifier' &&
        element.max === Number.POSITIVE_INFINITY &&
        this.#isSlow(element, prefix, suffix)
      )
        this.slow.push(element.raw);
      const inner = element.type === 'Quantifier' ? element.element : element;
      if ('alternatives' in inner)
        for (const alternative of inner.alternatives)
          if ('elements' in alternative) this.walk(alternative.elements, prefix, suffix);
    });
  }

  #isSlow({ element }: AST.Quantifier, prefix: readonly AST.Element[], suffix: readonly AST.Element[]): boolean {
    const run = this.#charsOf(element);
    if (suffix.every((one) => this.#cannotFail(one)) || this.#reachesTheEnd(run, suffix[0])) return false;
    if (this.#isAnchored(prefix[0], run)) return false;
    return prefix.every((one) => this.#fitsIn(one, run));
  }

  /** Whether the pattern can start at only one position of a run. */
  #isAnchored(first: AST.Element | undefined, run: Chars): boolean {
    if (first?.type !== 'Assertion') return false;
    if (first.kind === 'start') return !this.flags.includes('m') || !newlines.some((char) => run.has(char));
    return first.kind === 'word' && !first.negate && [...run].every((char) => wordChars.includes(char));
  }

  /** `[\s\S]*?(?:x|$)` matches at the end of the text at the latest. */
  #reachesTheEnd(run: Chars, next: AST.Element | undefined): boolean {
    if (this.flags.includes('m') || probes.some((char) => char.length === 1 && !run.has(char))) return false;
    const group = next?.type === 'Group' || next?.type === 'CapturingGroup';
    return group && next.alternatives.some(({ elements }) => elements.length === 1 && elements[0]!.raw === '$');
  }

  #cannotFail(one: AST.Element): boolean {
    if (one.type === 'Quantifier') return one.min === 0 || this.#cannotFail(one.element);
    if (one.type === 'Group' || one.type === 'CapturingGroup')
      return one.alternatives.some(({ elements }) => elements.every((each) => this.#cannotFail(each)));
    return false;
  }

  /** Whether it can match a text of only these characters. */
  #fitsIn(one: AST.Element, run: Chars): boolean {
    switch (one.type) {
      case 'Quantifier':
        return one.min === 0 || this.#fitsIn(one.element, run);
      case 'Group':
      case 'CapturingGroup':
        return one.alternatives.some(({ elements }) => elements.every((each) => this.#fitsIn(each, run)));
      case 'Assertion':
      case 'Backreference':
        return true;
      default:
        return [...this.#charsOf(one)].some((char) => run.has(char));
    }
  }

  /** All characters that can occur in a match. */
  #charsOf(node: AST.Element): Chars {
    const known = this.#known.get(node.raw);
    if (known) return known;
    const chars = new Set<string>();
    const add = (elements: readonly AST.Element[]): void => {
      for (const element of elements) for (const char of this.#charsOf(element)) chars.add(char);
    };
    if (node.type === 'Quantifier') add([node.element]);
    else if (node.type === 'Group' || node.type === 'CapturingGroup')
      for (const { elements } of node.alternatives) add(elements);
    else if (node.type !== 'Assertion' && node.type !== 'Backreference') {
      const one = new RegExp(`^(?:${node.raw})$`, this.#flags);
      for (const char of probes) if (one.test(char)) chars.add(char);
    }
    this.#known.set(node.raw, chars);
    return chars;
  }
}
