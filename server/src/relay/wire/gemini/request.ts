import type { Sourced } from '../conversation.ts';
import { readObject, unsupported, weigh } from '../read.ts';
import { readContents, readSystem } from './contents.ts';
import { documentedBody } from './names.ts';
import { readGeminiParams, showsThoughts } from './params.ts';

/** What the address says: this format has neither in its body. */
export interface Asked {
  model: string;
  stream: boolean;
}

/** Reads the body of `generateContent`, `streamGenerateContent` and `countTokens`. */
export function parseGeminiRequest(value: unknown, { model, stream }: Asked): Sourced {
  const given = readObject(value, 'body');
  const bytes = weigh(given);
  const body = documentedBody(given);
  // It lives in the vendor's own account, which here is everybody's.
  if (body.cachedContent != null)
    throw unsupported('cachedContent', `'cachedContent' is not supported; send the whole conversation.`);
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
