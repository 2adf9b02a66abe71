import type { Abilities, Models, Rates } from '../vendor.ts';

const long = { above: 272_000, prompt: 2, completion: 1.5 };

/** For reasoning models; older ones have several search prices. */
const search = 0.01;

/** The first match wins. Since GPT-5.6 long prompts are written to the cache automatically, at a price. */
const rates: [RegExp, Rates][] = [
  [/^gpt-6\.1/, { cacheRead: 0.05, cacheWrite: 1.25, search, long }],
  [/^gpt-(6|5\.6)/, { cacheRead: 0.1, cacheWrite: 1.25, search, long }],
  [/^gpt-5\.[45]$/, { cacheRead: 0.1, search, long }],
  [/^gpt-5/, { cacheRead: 0.1, search }],
  [/^gpt-4\.1/, { cacheRead: 0.25 }],
  [/^gpt-4o/, { cacheRead: 0.5 }],
  // Of what is cached sound costs more than text with the small ones; sessions are nearly all sound.
  [/^gpt-realtime-mini/, { cacheRead: 0.5, audioIn: 10, audioOut: 20 }],
  [/^gpt-realtime/, { cacheRead: 0.1, audioIn: 32, audioOut: 64 }],
  [/^gpt-audio-mini$/, { audioIn: 10, audioOut: 20 }],
  [/^gpt-audio$/, { audioIn: 32, audioOut: 64 }],
];

/**
 * Since GPT-5.2 the chat endpoint refuses functions together with reasoning; models since GPT-5.6 reason by default, so
 * they refuse functions there altogether. Audio models have chat only.
 */
const abilities: [RegExp, Abilities][] = [
  [/audio|realtime|search|transcribe|tts|image|embedding|moderation/, {}],
  [/^gpt-(5\.[2-9]|[6-9])/, { responses: true, tools_in_responses: true }],
  [/^(gpt-(4o|4\.1|5)|o\d|codex)/, { responses: true }],
];

export const openaiModels: Models = {
  chat: [
    ['gpt-6-astra', 'GPT-6 Astra', 10, 50, 1_050_000, 128_000, 1],
    ['gpt-6.1-sol', 'GPT-6.1 Sol', 2, 10, 1_050_000, 128_000, 0.97],
    ['gpt-6.1-terra', 'GPT-6.1 Terra', 1, 5, 1_050_000, 128_000, 0.94],
    ['gpt-6-sol', 'GPT-6 Sol', 2, 10, 1_050_000, 128_000, 0.96],
    ['gpt-6-luna', 'GPT-6 Luna', 0.1, 0.5, 1_050_000, 128_000, 0.88],
    ['gpt-5.6-sol', 'GPT-5.6 Sol', 4, 20, 1_050_000, 128_000, 0.95],
    ['gpt-5.6-terra', 'GPT-5.6 Terra', 2, 12, 1_050_000, 128_000, 0.92],
    ['gpt-5.6-luna', 'GPT-5.6 Luna', 0.2, 1.2, 1_050_000, 128_000, 0.87],
    ['gpt-5.5', 'GPT-5.5', 5, 30, 1_050_000, 128_000, 0.93],
    ['gpt-5.4', 'GPT-5.4', 2.5, 15, 1_050_000, 128_000, 0.91],
    ['gpt-5.4-mini', 'GPT-5.4 mini', 0.75, 4.5, 400_000, 128_000, 0.86],
    ['gpt-5.4-nano', 'GPT-5.4 nano', 0.2, 1.25, 400_000, 128_000, 0.8],
    ['gpt-5.2', 'GPT-5.2', 1.75, 14, 400_000, 128_000, 0.89],
    ['gpt-5.1', 'GPT-5.1', 1.25, 10, 400_000, 128_000, 0.87],
    ['gpt-5', 'GPT-5', 1.25, 10, 400_000, 128_000, 0.86],
    ['gpt-5-mini', 'GPT-5 mini', 0.25, 2, 400_000, 128_000, 0.82],
    ['gpt-5-nano', 'GPT-5 nano', 0.05, 0.4, 400_000, 128_000, 0.74],
    ['gpt-4.1', 'GPT-4.1', 2, 8, 1_047_576, 32_768, 0.8],
    ['gpt-4.1-mini', 'GPT-4.1 mini', 0.4, 1.6, 1_047_576, 32_768, 0.75],
    ['gpt-4.1-nano', 'GPT-4.1 nano', 0.1, 0.4, 1_047_576, 32_768, 0.66],
    ['gpt-4o', 'GPT-4o', 2.5, 10, 128_000, 16_384, 0.77],
    ['gpt-4o-mini', 'GPT-4o mini', 0.15, 0.6, 128_000, 16_384, 0.69],
    ['gpt-audio', 'GPT Audio', 2.5, 10, 128_000, 16_384, 0.72],
    ['gpt-audio-mini', 'GPT Audio mini', 0.6, 2.4, 128_000, 16_384, 0.65],
  ],
  embedding: [
    ['text-embedding-3-small', 'Text Embedding 3 Small', 0.02, 8_191],
    ['text-embedding-3-large', 'Text Embedding 3 Large', 0.13, 8_191],
  ],
  // Billed by tokens upstream; here per square image of medium quality.
  image: [
    ['gpt-image-2', 'GPT Image 2', 0.07],
    ['gpt-image-1.5', 'GPT Image 1.5', 0.034],
    ['gpt-image-1-mini', 'GPT Image 1 mini', 0.011],
  ],
  // Billed by tokens or characters upstream; here per minute of ordinary speech.
  speech: [
    ['gpt-4o-mini-tts', 'GPT-4o mini TTS', 0.015],
    ['tts-1', 'TTS-1', 0.015],
    ['tts-1-hd', 'TTS-1 HD', 0.03],
  ],
  transcription: [
    ['gpt-4o-transcribe', 'GPT-4o Transcribe', 0.006],
    ['gpt-4o-mini-transcribe', 'GPT-4o mini Transcribe', 0.003],
    ['whisper-1', 'Whisper', 0.006],
  ],
  realtime: [
    ['gpt-realtime', 'GPT Realtime', 4, 16, 32_000, 4_096, 0.8],
    ['gpt-realtime-mini', 'GPT Realtime mini', 0.6, 2.4, 32_000, 4_096, 0.7],
  ],
  moderation: [['omni-moderation-latest', 'Omni Moderation']],
  searchesIn: 'responses',
  searchModels: /-search-/,
  rates: (name) => rates.find(([names]) => names.test(name))?.[1],
  abilities: (name) => abilities.find(([names]) => names.test(name))?.[1],
};
