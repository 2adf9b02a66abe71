import type { ModelType } from '../../../routing/candidate.ts';

export interface DemoModel {
  id: string;
  name: string;
  type: ModelType;
  context_length: number;
  max_output_tokens: number;
  capabilities: Record<string, unknown>;
}

const chatCapabilities = {
  streaming: true,
  tools: true,
  parallel_tools: true,
  json_object: true,
  json_schema: true,
  seed: true,
  stop: true,
};

/** The built-in provider's models, all at price 0. */
export const demoModels: readonly DemoModel[] = [
  {
    id: 'demo/chat',
    name: 'Simulated chat (built-in)',
    type: 'chat',
    context_length: 32_768,
    max_output_tokens: 4096,
    capabilities: chatCapabilities,
  },
  {
    id: 'demo/chat-large',
    name: 'Simulated chat, longer answers (built-in)',
    type: 'chat',
    context_length: 131_072,
    max_output_tokens: 8192,
    capabilities: chatCapabilities,
  },
  {
    id: 'demo/embed',
    name: 'Lexical embeddings (built-in simulation)',
    type: 'embedding',
    context_length: 8192,
    max_output_tokens: 0,
    capabilities: { dimensions: 256 },
  },
  {
    id: 'demo/rerank',
    name: 'Lexical rerank (built-in simulation)',
    type: 'rerank',
    context_length: 8192,
    max_output_tokens: 0,
    capabilities: {},
  },
  {
    id: 'demo/moderation',
    name: 'Word-list moderation (built-in simulation)',
    type: 'moderation',
    context_length: 32_768,
    max_output_tokens: 0,
    capabilities: {},
  },
  {
    id: 'demo/image',
    name: 'Simulated images (built-in)',
    type: 'image',
    context_length: 4096,
    max_output_tokens: 0,
    capabilities: { max_size: '2048x2048', response_formats: ['b64_json'] },
  },
  {
    id: 'demo/speech',
    name: 'Simulated speech (built-in)',
    type: 'speech',
    context_length: 4096,
    max_output_tokens: 0,
    capabilities: { response_formats: ['mp3', 'wav', 'pcm'] },
  },
  {
    id: 'demo/transcribe',
    name: 'Simulated transcription (built-in)',
    type: 'transcription',
    context_length: 4096,
    max_output_tokens: 0,
    capabilities: { response_formats: ['json', 'text', 'srt', 'verbose_json', 'vtt'] },
  },
  {
    id: 'demo/realtime',
    name: 'Simulated realtime sessions (built-in)',
    type: 'realtime',
    context_length: 32_768,
    max_output_tokens: 4096,
    capabilities: {},
  },
  {
    id: 'demo/video',
    name: 'Simulated video (built-in)',
    type: 'video',
    context_length: 4096,
    max_output_tokens: 0,
    capabilities: {
      description: 'A short drawn animation, the same for every prompt. A simulation, generated on this machine.',
      supported_aspect_ratios: ['16:9', '9:16', '1:1', '4:3', '3:4'],
      supported_resolutions: ['480p', '720p'],
      supported_durations: [2, 4, 6, 8, 10],
      supported_sizes: null,
      supported_frame_images: [],
      generate_audio: false,
      seed: true,
    },
  },
];

export const findDemoModel = (id: string): DemoModel | undefined => demoModels.find((model) => model.id === id);
