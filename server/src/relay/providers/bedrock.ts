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

/** Claude, asked in Anthropic's own format. */
const claude: ProviderKind = {
  ...common,
  toUpstream: toClaude,
  fromUpstream: fromAnthropic,
  received: claudeReceived,
  decoder: anthropicDecoder,
};

/** Everybody else, in the one format that Bedrock has for all. */
const converse: ProviderKind = {
  ...common,
  toUpstream: toConverse,
  fromUpstream: fromConverse,
  received: converseReceived,
  decoder: converseDecoder,
};

/** By what the id says, behind a region's prefix and in an ARN too; an ARN that does not say is asked as everybody. */
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
