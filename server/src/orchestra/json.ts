import { jsonrepair } from 'jsonrepair';

/** jsonrepair is quadratic in length and depth: this much takes about 30 ms at worst. */
const mostRepaired = 12_288;
const deepestRepaired = 64;
/** An object, or an array that does not look like prose in brackets. */
const looksLikeJson = /^(?:\{|\[\s*["'[{\d-])/;

/**
 * The first JSON object in a model's answer, even if it is wrapped in text or malformed; undefined if there is none.
 */
export function lenientJson(text: string, repair = jsonrepair): unknown {
  const candidates = [text.trim(), ...fenced(text), ...bracketed(text)];
  for (const candidate of candidates) {
    const value = parse(candidate);
    if (isObject(value)) return value;
  }
  let room = mostRepaired;
  for (const candidate of candidates) {
    if (candidate.length > room || !looksLikeJson.test(candidate) || tooDeep(candidate)) continue;
    room -= candidate.length;
    const value = parse(candidate, repair);
    if (isObject(value)) return value;
  }
  return undefined;
}

/**
 * The answer as strict JSON for the client: unchanged if valid, repaired if it was only wrapped or malformed, else
 * null.
 */
export function strictJson(text: string): string | null {
  if (isObject(parse(text))) return text;
  const mended = lenientJson(text);
  return mended === undefined ? null : JSON.stringify(mended);
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

function parse(text: string, repair = (same: string) => same): unknown {
  try {
    return JSON.parse(repair(text));
  } catch {
    return undefined;
  }
}

function tooDeep(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (depth > deepestRepaired) return true;
  }
  return false;
}

/** The contents of code fences, without the language name. */
const fenced = (text: string): string[] =>
  text
    .split('```')
    .slice(1, -1)
    .filter((_, i) => i % 2 === 0)
    .map((inner) => inner.replace(/^[\w-]+/, '').trim());

/** Every span from an outermost opening bracket to its closing one, or to the end if the answer was cut off. */
function bracketed(text: string): string[] {
  const found: string[] = [];
  for (let start = text.search(/[{[]/); start >= 0 && found.length < 8; ) {
    const end = closing(text, start);
    found.push(text.slice(start, end + 1));
    const next = text.slice(end + 1).search(/[{[]/);
    start = next < 0 ? -1 : end + 1 + next;
  }
  return found;
}

function closing(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = start; i < text.length; i++) {
    const char = text[i]!;
    if (quoted) {
      if (char === '\\') i++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return i;
  }
  return text.length - 1;
}
