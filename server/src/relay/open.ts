import type { Permits } from '../identity/permits.ts';
import type { Jobs } from '../platform/durable/jobs.ts';
import type { Route } from '../platform/http/route.ts';
import type { CatalogContext } from '../routing/catalog/channels.ts';
import { listingOf } from '../routing/catalog/listing.ts';
import type { RelayDeps } from './deps.ts';
import { workImageExpiry } from './endpoints/image-files.ts';
import type { KeptResponses } from './responses/open.ts';
import { compactRoutes } from './responses/routes/compact.ts';
import { conversationRoutes } from './responses/routes/conversations.ts';
import { keptResponseRoutes } from './responses/routes/responses.ts';
import { anthropicModelsRoutes } from './routes/anthropic-models.ts';
import { audioRoutes } from './routes/audio.ts';
import { channelToolRoutes } from './routes/channel-tools.ts';
import { chatRoutes } from './routes/chat.ts';
import { cohereRoutes } from './routes/cohere.ts';
import { completionsRoutes } from './routes/completions.ts';
import { countTokensRoutes } from './routes/count-tokens.ts';
import { embeddingsRoutes } from './routes/embeddings.ts';
import { geminiRoutes } from './routes/gemini.ts';
import { geminiModelsRoutes } from './routes/gemini-models.ts';
import { imagesRoutes } from './routes/images.ts';
import type { MetaModels } from './routes/meta-models.ts';
import { modelsRoutes } from './routes/models.ts';
import { moderationsRoutes } from './routes/moderations.ts';
import { offeredModelsRoutes } from './routes/offered-models.ts';
import { ownKeyTestRoutes } from './routes/own-key-tests.ts';
import { rerankRoutes } from './routes/rerank.ts';
import { responsesRoutes } from './routes/responses.ts';
import { backgroundAnswers } from './routes/responses-background.ts';

/** What only some endpoints need. */
export interface EndpointDeps {
  /** To test channels and read their model lists. */
  room: CatalogContext;
  /** To delete expired images. */
  jobs: Jobs;
  /** Stored responses; its `keeper` is for the code that creates them. */
  responses: KeptResponses;
  /** For work that continues after its request. */
  permits: Pick<Permits, 'of'>;
}

/** When the first built-in model was released, shown as its creation time. */
const ownSince = 1_700_000_000;

/** All endpoints of the relay; a new one is one file and one line here. Call before the job queue starts. */
export function relayRoutes(
  deps: RelayDeps,
  metaModels: MetaModels,
  { room, jobs, responses, permits }: EndpointDeps,
): Route[] {
  const ownModels = Object.keys(metaModels).map((id) => ({ ...listingOf(id, [], ownSince), types: ['chat'] as const }));
  workImageExpiry({ jobs, blobs: deps.blobs });
  responses.work(backgroundAnswers(deps, metaModels, responses.keeper, permits));
  return [
    ...chatRoutes(deps, metaModels),
    ...completionsRoutes(deps, metaModels),
    ...cohereRoutes(deps, metaModels),
    ...responsesRoutes(deps, metaModels, responses.keeper),
    ...countTokensRoutes(deps, metaModels),
    ...modelsRoutes(deps, () => ownModels),
    ...offeredModelsRoutes(deps, () => ownModels),
    ...geminiRoutes(deps, metaModels),
    ...anthropicModelsRoutes(deps, () => ownModels),
    ...geminiModelsRoutes(deps, () => ownModels),
    ...embeddingsRoutes(deps),
    ...imagesRoutes({ ...deps, jobs }),
    ...audioRoutes(deps),
    ...moderationsRoutes(deps),
    ...rerankRoutes(deps),
    ...compactRoutes(deps, metaModels, responses),
    ...keptResponseRoutes(responses),
    ...conversationRoutes(responses),
    ...channelToolRoutes(deps, room),
    ...ownKeyTestRoutes(deps, room),
  ];
}
