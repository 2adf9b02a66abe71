/** What the service says in English (an error, the description of an option), in the language that is shown where its words are known. */
import { serviceWords } from './words.ts';

interface Shape {
  pattern: RegExp;
  names: string[];
  translation: string;
}

const placeholder = /\{(\w+)\}/g;

function shapeOf([english, translation]: [string, string]): Shape {
  const names = [...english.matchAll(placeholder)].map(([, name]) => name!);
  const literal = english.split(placeholder).filter((_, index) => index % 2 === 0);
  const pattern = literal.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('(.+?)');
  return { pattern: new RegExp(`^${pattern}$`, 's'), names, translation };
}

let shapes: { of: Record<string, string>; list: Shape[] } | undefined;

/** Sentences with something of the moment in them: the service sends no parts, so they are taken out of the text. */
function shapesOf(words: Record<string, string>): Shape[] {
  if (shapes?.of !== words) {
    const list = Object.entries(words)
      .filter(([english]) => english.includes('{'))
      .map(shapeOf);
    shapes = { of: words, list };
  }
  return shapes.list;
}

export function said(text: string): string {
  const words = serviceWords();
  const exact = words[text];
  if (exact !== undefined) return exact;
  for (const { pattern, names, translation } of shapesOf(words)) {
    const [, ...parts] = pattern.exec(text) ?? [];
    if (parts.length > 0)
      return translation.replaceAll(placeholder, (whole, name: string) => parts[names.indexOf(name)] ?? whole);
  }
  return text;
}

/** The translation of something that the service names, if there is one. */
export const known = (name: string): string | undefined => serviceWords()[name];
