/**
 * What the service says in English (an error, the description of an option), in the language that is shown where its words are known.
 * `{name}` in a catalog stands for what differs each time. Some of that are words of the service in their turn:
 *   `{fault…}`, which have to be known for the sentence to be this one at all ('{field}: {fault}');
 *   `{more…}`, which are translated where they are known ('The server {server} failed: {more}.');
 *   and what has a translation for its place only, as 'team##level' has where a sentence holds `{level}`.
 * Everything else is a name, a number, or what somebody wrote.
 */
import { serviceWords } from './words.ts';

interface Shape {
  literals: string[];
  names: string[];
  translation: string;
}

const placeholder = /\{(\w+)\}/g;
/** Without these, much of what others wrote would look like '{field} is required.'. */
const oneWord = new Set(['field', 'param', 'method', 'status']);
/** Sentences stand within sentences, but not deeper than this. */
const deepest = 2;

function shapeOf([english, translation]: [string, string]): Shape {
  const parts = english.split(placeholder);
  return {
    literals: parts.filter((_, index) => index % 2 === 0),
    names: parts.filter((_, index) => index % 2 === 1),
    translation,
  };
}

const weightOf = ({ literals }: Shape): number => literals.join('').length;

let shapes: { of: Record<string, string>; list: Shape[] } | undefined;

/** Sentences with something of the moment in them: the service sends no parts. Those that say most themselves come first. */
function shapesOf(words: Record<string, string>): Shape[] {
  if (shapes?.of !== words) {
    const list = Object.entries(words)
      .map(shapeOf)
      .filter(({ names }) => names.length > 0)
      .sort((one, other) => weightOf(other) - weightOf(one));
    shapes = { of: words, list };
  }
  return shapes.list;
}

/** What stands in the places of a shape: something in each, and as little as can be. In one pass, however long the text is. */
function partsOf(text: string, literals: string[]): string[] | null {
  const first = literals[0]!;
  const last = literals.at(-1)!;
  if (!text.startsWith(first) || !text.endsWith(last)) return null;
  const parts: string[] = [];
  let from = first.length;
  for (const literal of literals.slice(1, -1)) {
    const at = text.indexOf(literal, from + 1);
    if (at === -1) return null;
    parts.push(text.slice(from, at));
    from = at + literal.length;
  }
  const end = text.length - last.length;
  return from < end ? [...parts, text.slice(from, end)] : null;
}

interface Value {
  text: string;
  /** Words of the service that are translated, and no name or number. */
  words: boolean;
}

/** Null where a part is not what its place asks for. */
function valuesOf(names: string[], parts: string[], depth: number): Map<string, Value> | null {
  const values = new Map<string, Value>();
  for (const [index, name] of names.entries()) {
    const part = parts[index]!;
    const inner = /^(?:fault|more)/.test(name) ? translated(part, depth + 1) : knownServerText(`${part}##${name}`);
    if (inner === undefined && (name.startsWith('fault') || (oneWord.has(name) && part.includes(' ')))) return null;
    values.set(name, { text: inner ?? part, words: inner !== undefined });
  }
  return values;
}

const han = /\p{Script=Han}/u;

/** Chinese has a blank beside names and numbers of other letters, and none beside words of its own. */
function filled(translation: string, values: Map<string, Value>): string {
  return translation.replaceAll(
    /( ?)\{(\w+)\}( ?)/g,
    (whole, before: string, name: string, after: string, at: number) => {
      const value = values.get(name);
      if (!value) return whole;
      const joins = (own: string | undefined, other: string | undefined) =>
        value.words && han.test(own ?? '') && han.test(other ?? '');
      const { text } = value;
      const left = joins(text[0], translation[at - 1]) ? '' : before;
      return left + text + (joins(text.at(-1), translation[at + whole.length]) ? '' : after);
    },
  );
}

function translated(text: string, depth: number): string | undefined {
  const exact = knownServerText(text);
  if (exact !== undefined || depth > deepest) return exact;
  for (const { literals, names, translation } of shapesOf(serviceWords())) {
    const parts = partsOf(text, literals);
    const values = parts && valuesOf(names, parts, depth);
    if (values) return filled(translation, values);
  }
  return undefined;
}

export const serverText = (text: string): string => translated(text, 0) ?? text;

/** The translation of something that the service names, if there is one. */
export function knownServerText(name: string): string | undefined {
  const words = serviceWords();
  return Object.hasOwn(words, name) ? words[name] : undefined;
}
