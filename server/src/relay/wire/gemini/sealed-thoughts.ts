import { isObject, type Part } from '../conversation.ts';

/** A thought of another vendor's with the proof that it asks for when the thought comes back. */
export type Thought = { text: string; signature: string } | { data: string };

/** Twelve bytes, so that all that is sealed begins alike in base64 too, with and without the letters for addresses. */
const mark = 'svc-thoughts';
const markInBase64 = Buffer.from(mark).toString('base64');

/**
 * Clients of Gemini give a model back what it signed with a part, and often leave out the thoughts themselves. What another
 * vendor wants to see again therefore travels whole in the signature, as base64, which some clients decode and write anew.
 */
export const sealThoughts = (thoughts: readonly Thought[]): string =>
  Buffer.from(mark + JSON.stringify(thoughts)).toString('base64');

export const isSealed = (signature: unknown): signature is string =>
  typeof signature === 'string' && signature.startsWith(markInBase64);

/** Undefined where it is Gemini's own signature. What a client made up itself is nothing. */
export function openThoughts(signature: string): Part[] | undefined {
  if (!isSealed(signature)) return undefined;
  let thoughts: unknown;
  try {
    thoughts = JSON.parse(Buffer.from(signature, 'base64').toString('utf8').slice(mark.length));
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
