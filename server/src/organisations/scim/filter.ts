import type { AppError } from '../../lib/errors.ts';
import { fault } from './faults.ts';

/** RFC 7644 §3.4.2.2, table 3. */
export const operators = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Operator = (typeof operators)[number];
export type Value = string | boolean | number | null;

export interface Comparison {
  attribute: string;
  op: Operator | 'pr';
  /** Absent for `pr`. */
  value?: Value;
}

/** Attributes are in lower case. `some`: a value of a multi-valued attribute that is as `where` says. */
export type Filter =
  | { all: Filter[] }
  | { any: Filter[] }
  | { not: Filter }
  | { some: string; where: Filter }
  | Comparison;

/**
 * An attribute path (RFC 7644 §3.5.2, figure 7), in lower case, since attribute names are case-insensitive (RFC 7643
 * §2.1).
 */
export interface Path {
  attribute: string;
  where: Filter | null;
}

/** A filter for one user is far shorter; longer ones are abuse. */
const mostCharacters = 2_000;
const mostTerms = 20;
const deepest = 8;

type Fail = (why: string) => AppError;
const badFilter: Fail = (why) => fault('invalidFilter', `filter: ${why}`);
const badPath: Fail = (why) => fault('invalidPath', `path: ${why}`);

export function parseFilter(text: string): Filter {
  const tokens = new Tokens(text, badFilter);
  const filter = anyOf(tokens, 0);
  tokens.end();
  return filter;
}

export function parsePath(text: string): Path {
  const tokens = new Tokens(text, badPath);
  const path = pathOf(tokens, 0);
  tokens.end();
  if (path.where && !isPlain(path.where)) throw badPath('compares by eq, with and and or.');
  return path;
}

/** Values to change are named one by one: by their type, or as members of a group. */
const isPlain = (filter: Filter): boolean => {
  if ('all' in filter) return filter.all.every(isPlain);
  if ('any' in filter) return filter.any.every(isPlain);
  return 'op' in filter && filter.op === 'eq';
};

/** `urn:…:core:2.0:User:userName` equals `userName`; attributes of other schemas keep their full name. */
const core = /^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/;
export const plain = (name: string): string => name.toLowerCase().replace(core, '');

const isLetter = (sign: string | undefined): boolean => sign !== undefined && /[\w:.$-]/.test(sign);

class Tokens {
  readonly #tokens: string[] = [];
  #at = 0;
  #terms = 0;

  constructor(
    text: string,
    readonly fail: Fail,
  ) {
    if (text.length > mostCharacters) throw fail(`must have at most ${mostCharacters} characters.`);
    for (let at = 0; at < text.length; at = this.#next(text, at));
  }

  /** Consumes a token; returns where the next starts. */
  #next(text: string, at: number): number {
    if (text[at] === ' ') return at + 1;
    let end = at + 1;
    if (text[at] === '"') {
      while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
      if (end >= text.length) throw this.fail('unterminated string.');
      end += 1;
    } else if (isLetter(text[at])) while (isLetter(text[end])) end += 1;
    else if (!'()[]'.includes(text[at]!)) throw this.fail(`unexpected ${JSON.stringify(text[at])}.`);
    this.#tokens.push(text.slice(at, end));
    return end;
  }

  peek = (): string | undefined => this.#tokens[this.#at];

  take(): string {
    const token = this.peek();
    if (token === undefined) throw this.fail('unexpected end.');
    this.#at += 1;
    return token;
  }

  /** Consumes this word if it comes next. */
  takes(word: string): boolean {
    const isNext = this.peek()?.toLowerCase() === word;
    if (isNext) this.#at += 1;
    return isNext;
  }

  expect(word: string): void {
    if (!this.takes(word)) throw this.fail(`expected ${word} but found ${this.peek() ?? 'the end'}.`);
  }

  end(): void {
    if (this.peek() !== undefined) throw this.fail(`unexpected ${this.peek()}.`);
  }

  countTerm(): void {
    this.#terms += 1;
    if (this.#terms > mostTerms) throw this.fail(`must have at most ${mostTerms} comparisons.`);
  }
}

function anyOf(tokens: Tokens, depth: number): Filter {
  if (depth > deepest) throw tokens.fail('nesting is too deep.');
  const parts = [allOf(tokens, depth)];
  while (tokens.takes('or')) parts.push(allOf(tokens, depth));
  return parts.length === 1 ? parts[0]! : { any: parts };
}

function allOf(tokens: Tokens, depth: number): Filter {
  const parts = [term(tokens, depth)];
  while (tokens.takes('and')) parts.push(term(tokens, depth));
  return parts.length === 1 ? parts[0]! : { all: parts };
}

function term(tokens: Tokens, depth: number): Filter {
  if (tokens.takes('not')) {
    tokens.expect('(');
    return { not: inBrackets(tokens, depth) };
  }
  if (tokens.takes('(')) return inBrackets(tokens, depth);
  tokens.countTerm();
  const { attribute, where } = pathOf(tokens, depth);
  if (!where) return comparison(tokens, attribute);
  // `emails[type eq "work"].value eq "…"`, as Microsoft writes it, is about one and the same value.
  const [some, ...below] = attribute.split('.');
  const isCompared = tokens.peek() !== undefined && isOperator(tokens.peek()!);
  if (!isCompared && below.length === 0) return { some: some!, where };
  return { some: some!, where: { all: [where, comparison(tokens, below.join('.') || 'value')] } };
}

function inBrackets(tokens: Tokens, depth: number): Filter {
  tokens.countTerm();
  const inner = anyOf(tokens, depth + 1);
  tokens.expect(')');
  return inner;
}

const isOperator = (word: string): boolean => word.toLowerCase() === 'pr' || isComparing(word.toLowerCase());
const isComparing = (word: string): word is Operator => (operators as readonly string[]).includes(word);

function comparison(tokens: Tokens, attribute: string): Comparison {
  if (tokens.takes('pr')) return { attribute, op: 'pr' };
  const op = tokens.take().toLowerCase();
  if (!isComparing(op)) throw tokens.fail(`${op} is no comparison; there are pr, ${operators.join(', ')}.`);
  return { attribute, op, value: comparedWith(tokens) };
}

function pathOf(tokens: Tokens, depth: number): Path {
  const name = tokens.take();
  if (!isLetter(name[0])) throw tokens.fail(`expected an attribute but found ${name}.`);
  if (!tokens.takes('[')) return { attribute: plain(name), where: null };
  const where = anyOf(tokens, depth + 1);
  tokens.expect(']');
  const below = tokens.peek()?.startsWith('.') ? tokens.take() : '';
  return { attribute: plain(name + below), where };
}

function comparedWith(tokens: Tokens): Value {
  const text = tokens.take();
  if (text.startsWith('"')) return textOf(text, tokens.fail);
  // Microsoft sends True.
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (text.toLowerCase() === 'null') return null;
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw tokens.fail('a value must be a string in double quotes, true, false, null or a whole number.');
}

/** A JSON string (RFC 7644 §3.4.2.2). */
function textOf(quoted: string, fail: Fail): string {
  let text: string;
  try {
    text = String(JSON.parse(quoted));
  } catch {
    throw fail(`${quoted} is not a valid JSON string.`);
  }
  // Escaped, so the request had none; PostgreSQL refuses it in a parameter.
  if (text.includes('\0')) throw fail('NUL characters are not allowed.');
  return text;
}
