import type { ProviderKind } from './kind.ts';
import { openaiKind } from './openai.ts';
import { asked, asStream, placeOf } from './vertex/address.ts';
import { vertexClaude } from './vertex/claude.ts';
import { vertexGemini } from './vertex/gemini.ts';

/** Models of other publishers (`meta/llama-3.3-70b-instruct-maas`), in OpenAI's format. */
const ofOthers: ProviderKind = {
  name: 'vertex',
  wire: openaiKind.wire,
  toUpstream(conversation, target) {
    const baseUrl = `${placeOf(target)}/endpoints/openapi`;
    // A chat body is always text.
    const { url, body } = openaiKind.toUpstream(conversation, { ...target, baseUrl, credential: '' });
    return asStream(asked(target, url, body as string), conversation.stream);
  },
  fromUpstream: openaiKind.fromUpstream,
  decoder: openaiKind.decoder,
  errorOf: openaiKind.errorOf,
  models: vertexGemini.models,
};

/** Google Cloud's Vertex AI: three APIs at one address, each with its own models. */
export const vertexKind: ProviderKind = {
  ...vertexGemini,
  forModel: (name) => (/^claude-/.test(name) ? vertexClaude : name.includes('/') ? ofOthers : vertexGemini),
};
