import type { ProviderModelSeed } from '../seed.ts';

/** What one provider asks for one model. */
export interface PriceEntry extends ProviderModelSeed {
  /** Whose price it is: the `provider` of a channel. */
  provider: string;
  name: string;
}

/** Upstream name, or `[public id, upstream name]` where the provider serves another vendor's model. */
type Model = string | [id: string, upstream: string];

/** The tables of one provider; USD per million tokens, and per image, minute of audio, second of video or request. */
export interface PriceTables {
  chat?: [
    model: Model,
    name: string,
    prompt: number,
    completion: number,
    context: number,
    output: number,
    quality: number,
  ][];
  embedding?: [model: Model, name: string, prompt: number, context: number][];
  image?: [model: Model, name: string, perImage: number][];
  speech?: [model: Model, name: string, perMinute: number][];
  transcription?: [model: Model, name: string, perMinute: number][];
  moderation?: [model: Model, name: string][];
  rerank?: [model: Model, name: string, perRequest: number, prompt: number, context: number][];
  video?: [model: Model, name: string, perSecond: number, capabilities: VideoCapabilities][];
}

/** The listing fields of spec 2.6. */
export interface VideoCapabilities {
  supported_aspect_ratios: string[];
  supported_resolutions: string[];
  supported_durations: number[];
  supported_sizes: string[];
  supported_frame_images: string[];
  generate_audio: boolean;
  seed: boolean;
}

const base = {
  promptPrice: 0,
  completionPrice: 0,
  requestPrice: 0,
  contextLength: 0,
  maxOutputTokens: 0,
  qualityScore: 0.8,
};

export function priceEntries(provider: string, tables: PriceTables): PriceEntry[] {
  const named = (model: Model, name: string) =>
    typeof model === 'string'
      ? { ...base, provider, modelId: `${provider}/${model}`, modelName: model, name }
      : { ...base, provider, modelId: model[0], modelName: model[1], name };
  const { chat = [], embedding = [], image = [], speech = [], transcription = [], moderation = [] } = tables;
  const { rerank = [], video = [] } = tables;
  return [
    ...chat.map(([model, name, promptPrice, completionPrice, contextLength, maxOutputTokens, qualityScore]) => ({
      ...named(model, name),
      type: 'chat' as const,
      ...{ promptPrice, completionPrice, contextLength, maxOutputTokens, qualityScore },
    })),
    ...embedding.map(([model, name, promptPrice, contextLength]) => ({
      ...named(model, name),
      type: 'embedding' as const,
      ...{ promptPrice, contextLength },
    })),
    ...image.map(([model, name, requestPrice]) => ({ ...named(model, name), type: 'image' as const, requestPrice })),
    ...speech.map(([model, name, requestPrice]) => ({ ...named(model, name), type: 'speech' as const, requestPrice })),
    ...transcription.map(([model, name, requestPrice]) => ({
      ...named(model, name),
      type: 'transcription' as const,
      requestPrice,
    })),
    ...moderation.map(([model, name]) => ({ ...named(model, name), type: 'moderation' as const })),
    ...rerank.map(([model, name, requestPrice, promptPrice, contextLength]) => ({
      ...named(model, name),
      type: 'rerank' as const,
      ...{ requestPrice, promptPrice, contextLength },
    })),
    ...video.map(([model, name, requestPrice, capabilities]) => ({
      ...named(model, name),
      type: 'video' as const,
      requestPrice,
      capabilities: { ...capabilities },
    })),
  ];
}
