import { pricedNames } from './providers/kind/beyond-tokens.ts';
import { isObject } from './wire/conversation.ts';
import { imageCounts } from './wire/image-counts.ts';
import { limitNames } from './wire/limit-names.ts';
import { invalid } from './wire/read.ts';

/** Also equates what Unicode does: the long s, and the sign of Kelvin. */
export const folded = (name: string): string => name.toUpperCase().toLowerCase();

/** Members that decide what a request costs, and what it may do. */
const decisive = new Set([
  ...['model', 'models', 'messages', 'system', 'instructions', 'prompt', 'suffix', 'input', 'contents'],
  ...['documents', 'query', 'texts', 'functions', 'n', 'stream', 'stream_options', 'provider', 'svc_ms'],
  ...limitNames,
  ...imageCounts,
  ...pricedNames,
]);
const byFolded = new Map([...decisive].map((name) => [folded(name), name]));

/**
 * Some upstreams read names in any case, as programs in Go and C# do: `MAX_TOKENS` would replace the limit that is held
 * for and sent, and `Model` the model. Throws if a body has such a member; other unknown ones are passed on.
 */
export function withoutFolded<B>(body: B): B {
  if (!isObject(body)) return body;
  for (const name in body) {
    if (decisive.has(name)) continue;
    const meant = byFolded.get(folded(name));
    if (meant !== undefined) throw invalid(name, `'${name}' is not supported. Use '${meant}'.`);
  }
  return body;
}
