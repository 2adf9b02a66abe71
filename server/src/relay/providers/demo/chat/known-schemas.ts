import { trimEndOf } from '../../../../lib/trim-end.ts';
import { coverage, keyTerms, sentences, shorten, words } from '../text.ts';
import type { Schema } from './schema.ts';
import { resolve, typeOf } from './schema.ts';
import { fencedParts, section } from './sections.ts';
import { difficultyOf, splitRequest } from './split-request.ts';

type Answerer = (schema: Schema, text: string) => Record<string, unknown>;

const child = (schema: Schema, root: Schema, name: string): Schema => resolve(schema.properties?.[name] ?? {}, root);
const has = (schema: Schema, ...names: string[]): boolean =>
  names.every((name) => schema.properties?.[name] !== undefined);

/** Only members that the schema names, so that `additionalProperties: false` holds. */
const only = (schema: Schema, values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([key]) => schema.properties?.[key] !== undefined));

const scaled = (schema: Schema, share: number): number => {
  const most = schema.maximum ?? 1;
  const value = (schema.minimum ?? 0) + share * (most - (schema.minimum ?? 0));
  return typeOf(schema) === 'integer' ? Math.round(value) : Math.round(value * 100) / 100;
};

/** `Split this request into tasks:` and the like, then the request. */
const introduced = /^[^\n]{0,80}\b(?:request|goal)\b[^\n]{0,40}:[ \t]*\n([\s\S]+)$/i;

const plan: Answerer = (schema, text) => {
  const request = section(text, ['request', 'goal']) ?? text.match(introduced)?.[1] ?? text;
  const tasks = child(schema, schema, 'tasks');
  const item = resolve(tasks.items ?? {}, schema);
  const most = tasks.maxItems ?? Number(text.match(/\bat most (\d+)/i)?.[1] ?? 8);
  const parts = splitRequest(request).slice(0, Math.max(1, most));
  const numeric = /integer|number/.test(typeOf(child(item, schema, 'id')));
  const ids = parts.map((_, index) => (numeric ? index + 1 : `t${index + 1}`));
  let stage = 0;
  const stages = parts.map((part, index) => (part.follows && index > 0 ? ++stage : stage));
  return only(schema, {
    description: shorten(request.replace(/\s+/g, ' ').trim(), 200),
    tasks: parts.map((part, index) =>
      only(item, {
        id: ids[index],
        title: shorten(part.text.replace(/\s+/g, ' '), 60),
        instruction: part.text,
        difficulty: difficultyOf(part.text),
        depends_on: ids.filter((_, other) => stages[other] === stages[index]! - 1),
      }),
    ),
  });
};

const goal: Answerer = (schema, text) => {
  const wanted = section(text, ['goal']) ?? sentences(text)[0] ?? text;
  const pieces = fencedParts(text).flatMap(({ label, body }) => (label === 'result' ? [body] : []));
  const found = pieces.join('\n');
  const results = pieces.filter((one) => one !== '');
  const failed = results.filter((one) => /\b(?:failed|error)\b/i.test(one)).length;
  const done = results.length - failed;
  const share = done === 0 ? 0.1 : Math.min(0.95, 0.6 + 0.1 * done + 0.25 * coverage(wanted, found) - 0.15 * failed);
  const missing = keyTerms(wanted, 8).filter((term) => coverage(term, found) === 0);
  const gaps = done === 0 ? [shorten(wanted, 200)] : share >= 0.8 ? [] : missing;
  const listed = typeOf(child(schema, schema, 'missing')) === 'array';
  return only(schema, {
    confidence: scaled(child(schema, schema, 'confidence'), share),
    missing: listed ? gaps : gaps.join(', '),
    reason: done === 0 ? 'No results yet.' : `${done} result(s) present.`,
  });
};

const evaluation: Answerer = (schema, text) => {
  const result = section(text, ['result']) ?? sentences(text).slice(1).join(' ');
  const task = section(text, ['instruction']) ?? sentences(text)[0] ?? '';
  const faulty = result === '' || /^(?:i cannot|i can't|sorry|error)\b/i.test(result.trim());
  const share = faulty ? 0.15 : Math.min(0.95, 0.75 + 0.2 * coverage(task, result));
  return only(schema, {
    score: scaled(child(schema, schema, 'score'), share),
    feedback: faulty ? 'There is no usable result.' : 'The result answers the task (judged by word overlap only).',
  });
};

const categories: [RegExp, string][] = [
  [/\b(?:prefer|like|love|hate|favou?rite|rather|always|never)\b/i, 'preference'],
  [/\b(?:decided|decision|agreed|chose|will use)\b/i, 'decision'],
  [/\b(?:deadline|due|until|by (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i, 'deadline'],
  [/\b(?:my name|i am|i'm|i live|i work)\b/i, 'personal'],
];
const statesFact =
  /\b(?:i am|i'm|i live|i work|i use|my|we|our|prefer|like|love|hate|is|are|was|has|have|uses?|runs?|decided|deadline|always|never|must)\b/i;

const facts: Answerer = (schema, text) => {
  const item = resolve(child(schema, schema, 'facts').items ?? {}, schema);
  const source = section(text, ['conversation']) ?? text;
  const spoken = source
    .split('\n')
    .filter((line) => !/^\s*(?:assistant|system)\s*:/i.test(line))
    .map((line) => line.replace(/^\s*(?:user|human)\s*:\s*/i, ''))
    .join('\n');
  const allowed = child(item, schema, 'category').enum;
  const stated = sentences(spoken).filter(
    (one) => statesFact.test(one) && !one.endsWith('?') && words(one).length >= 3,
  );
  return only(schema, {
    facts: stated.slice(0, child(schema, schema, 'facts').maxItems ?? 5).map((sentence) => {
      const fitting = categories.find(([pattern]) => pattern.test(sentence))?.[1] ?? 'fact';
      return only(item, {
        category: allowed && !allowed.includes(fitting) ? allowed[0] : fitting,
        title: shorten(trimEndOf(sentence, '.!'), 60),
        content: sentence,
        quote: sentence,
        keywords: keyTerms(sentence, 5),
      });
    }),
  });
};

/** Schemas of the orchestration engine, recognised by their member names. */
export function knownSchema(schema: Schema): Answerer | null {
  const item = (name: string): Schema => resolve(child(schema, schema, name).items ?? {}, schema);
  if (has(schema, 'tasks') && has(item('tasks'), 'instruction')) return plan;
  if (has(schema, 'confidence', 'missing')) return goal;
  if (has(schema, 'score', 'feedback')) return evaluation;
  if (has(schema, 'facts') && has(item('facts'), 'quote')) return facts;
  return null;
}
