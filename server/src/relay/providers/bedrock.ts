import { anthropicDecoder, fromAnthropic } from './anthropic/answer.ts';
import { claudeReceived, toClaude } from './bedrock/claude.ts';
import { converseDecoder, converseReceived, fromConverse } from './bedrock/converse-answer.ts';
import { toConverse } from './bedrock/converse-request.ts';
import { cohereEmbeddings, titanEmbeddings } from './bedrock/embeddings.ts';
import { bedrockError } from './bedrock/errors.ts';
import { bedrockModels } from './bedrock/models.ts';
import type { ProviderKind } from './kind.ts';

const common = {
  name: 'bedrock',
  wire: 'messages',
  wantsImageData: true,
  neverSearches: true,
  errorOf: bedrockError,
  models: bedrockModels,
} as const;

/** Claude, in Anthropic's own format. */
const claude: ProviderKind = {
  ...common,
  toUpstream: toClaude,
  fromUpstream: fromAnthropic,
  received: claudeReceived,
  decoder: anthropicDecoder,
};

/** All other models, in Bedrock's common Converse format. */
const converse: ProviderKind = {
  ...common,
  toUpstream: toConverse,
  fromUpstream: fromConverse,
  received: converseReceived,
  decoder: converseDecoder,
};

/** By model id, with or without a region prefix or ARN; an ARN that does not tell uses Converse. */
const byName: [RegExp, ProviderKind][] = [
  [/(^|[./])anthropic\./, claude],
  [/(^|[./])amazon\.titan-embed-text/, { ...converse, embeddings: titanEmbeddings }],
  [/(^|[./])cohere\.embed/, { ...converse, embeddings: cohereEmbeddings }],
];

/** Amazon Bedrock. */
export const bedrockKind: ProviderKind = {
  ...converse,
  forModel: (modelName) => byName.find(([names]) => names.test(modelName))?.[1] ?? converse,
};
