import { failure, isObject, UpstreamFault } from '../../wire/conversation.ts';
import type { ModelEntry, ProviderKind } from '../kind.ts';
import { askControl } from './request.ts';

/** Inference profiles: most current models require one, and the list says which exist in a region. */
export const bedrockModels: ProviderKind['models'] = {
  toUpstream: (target) => askControl(target, '/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED'),
  fromUpstream(json) {
    if (!isObject(json) || !Array.isArray(json.inferenceProfileSummaries))
      throw new UpstreamFault(failure('the upstream listed no models'));
    return json.inferenceProfileSummaries.flatMap((item): ModelEntry[] => {
      if (!isObject(item) || typeof item.inferenceProfileId !== 'string' || item.status !== 'ACTIVE') return [];
      const { inferenceProfileId: id, inferenceProfileName: name } = item;
      return [{ id, ...(typeof name === 'string' && { name }) }];
    });
  },
};
