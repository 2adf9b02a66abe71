import type { ModelListing } from '../../routing/catalog/listing.ts';
import { supportedParameters, type Taken } from './model-view.ts';

/** Capabilities people look for in a chat model. */
export const abilities = ['tools', 'structured_outputs', 'vision', 'audio', 'reasoning', 'caching'] as const;
export type Ability = (typeof abilities)[number];

/*
 * Upstreams' lists rarely tell what a model reads and whether it reasons, but names do for the common families. The
 * operator's `capabilities` (`vision`, `reasoning`, `audio`) take precedence.
 */
const sees =
  /gpt-(4o|4\.1|4-turbo|[5-9])|(^|\/)o[134]($|-(?!mini|preview))|o4-mini|claude-|gemini-|grok-[4-9]|pixtral|llama-4|llava|-vl\b|vision/;
const thinks =
  /(^|\/)(o\d|gpt-[5-9])|gpt-oss|claude-(3-7|(opus|sonnet|haiku|fable)-[4-9])|gemini-(2\.5|[3-9])|grok-[4-9]|deepseek-(r\d|v[4-9]|reasoner)|qwen3|magistral|thinking|\br1\b/;
/** Members of these families without vision or reasoning. */
const sound = /audio|realtime|transcribe|tts/;

/** In the order of the list above. */
export function abilitiesOf(listing: ModelListing, taken: Taken): Ability[] {
  const { id, types, capabilities, price } = listing;
  if (types.length > 0 && !types.includes('chat')) return [];
  const parameters = supportedParameters(listing, taken);
  const parts = price?.parts ?? {};
  const said = (flag: string): boolean | undefined => {
    const value = capabilities[flag];
    return typeof value === 'boolean' ? value : undefined;
  };
  const named = (family: RegExp): boolean => family.test(id) && !sound.test(id);
  const has: Record<Ability, boolean> = {
    tools: parameters.includes('tools'),
    structured_outputs: parameters.includes('structured_outputs'),
    vision: said('vision') ?? (parts.imageIn !== undefined || named(sees)),
    audio: said('audio') ?? (parts.audioIn !== undefined || parts.audioOut !== undefined),
    reasoning: said('reasoning') ?? (parts.reasoning !== undefined || named(thinks)),
    caching: parts.cacheRead !== undefined,
  };
  return abilities.filter((ability) => has[ability]);
}
