import type { Options } from './identity/options.ts';
import type { OperatorModels } from './orchestra/models.ts';

export const operatorModels = (options: Options): OperatorModels => ({
  plan: options.get('MsPlanModel'),
  easy: options.get('MsEasyModel'),
  medium: options.get('MsMediumModel'),
  hard: options.get('MsHardModel'),
  embedding: options.get('MsEmbeddingModel'),
  rerank: options.get('MsRerankModel'),
});
