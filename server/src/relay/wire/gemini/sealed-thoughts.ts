import { isHeavy } from '../../../lib/json-shape.ts';
import { isObject, type Part } from '../conversation.ts';
import { invalid } from '../read.ts';

/** A thought of another vendor with the signature it must be returned with. */
export type Thought = { text: string; signature: string } | { data: string };

/** Twelve bytes, so that all such values start alike in base64 and base64url. */
const mark = 'svc-thoughts';
const markInBase64 = Buffer.from(mark).toString('base64');

/**
 * Gemini clients return a part's signature, but often drop the thoughts themselves. So reasoning that another vendor
 * needs back is carried inside the signature, as base64, which some clients decode and encode again.
 */
export const sealThoughts = (thoughts: readonly Thought[]): string =>
  Buffer.from(mark + JSON.stringify(thoughts)).toString('base64');

export const isSealed = (signature: unknown): signature is string =>
  typeof signature === 'string' && signature.startsWith(markInBase64);

const textIn = (signature: string): string => Buffer.from(signature, 'base64').toString('utf8').slice(mark.length);

/** In base64, the limits of a body's shape do not see what a client has invented. */
export function refuseHeavyThoughts(contents: unknown): void {
  if (isHeavy(sealedIn(contents).map(textIn), true))
    throw invalid('contents', `The thought signatures in 'contents' contain too many thoughts.`);
}

function sealedIn(value: unknown): string[] {
  if (isSealed(value)) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(sealedIn);
}

/** Undefined for Gemini's own signatures. Anything a client invented is ignored. */
export function openThoughts(signature: string): Part[] | undefined {
  if (!isSealed(signature)) return undefined;
  let thoughts: unknown;
  try {
    thoughts = JSON.parse(textIn(signature));
  } catch {
    return [];
  }
  return Array.isArray(thoughts) ? thoughts.flatMap(partOf) : [];
}

function partOf(thought: unknown): Part[] {
  if (!isObject(thought)) return [];
  const { text, signature, data } = thought;
  if (typeof data === 'string') return [{ type: 'redacted_thinking', data }];
  return typeof text === 'string' && typeof signature === 'string' ? [{ type: 'thinking', text, signature }] : [];
}
