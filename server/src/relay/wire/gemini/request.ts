import { largeBytes } from '../../../lib/json-shape.ts';
import type { Sourced } from '../conversation.ts';
import { readObject, unsupported, weigh } from '../read.ts';
import { readContents, readSystem } from './contents.ts';
import { documentedBody } from './names.ts';
import { readGeminiParams, showsThoughts } from './params.ts';
import { refuseHeavyThoughts } from './sealed-thoughts.ts';

/** What the URL says: this format has neither in its body. */
export interface Asked {
  model: string;
  stream: boolean;
}

/** Parses the body of `generateContent`, `streamGenerateContent` and `countTokens`. */
export function parseGeminiRequest(value: unknown, { model, stream }: Asked): Sourced {
  const given = readObject(value, 'body');
  const bytes = weigh(given);
  const body = documentedBody(given);
  if (bytes >= largeBytes) refuseHeavyThoughts(body.contents);
  // Cached content belongs to the vendor account, which all users share here.
  if (body.cachedContent != null)
    throw unsupported('cachedContent', `'cachedContent' is not supported. Send the whole conversation.`);
  return {
    model,
    system: readSystem(body.systemInstruction),
    turns: readContents(body.contents),
    params: readGeminiParams(body),
    stream,
    includeUsage: true,
    ...(showsThoughts(body) && { showThoughts: true }),
    source: { format: 'gemini', body },
    bytes,
  };
}
