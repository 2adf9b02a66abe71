import type { Models, Rates } from '../vendor.ts';

/** Open models have one public name on all hosts, so that routing can choose among them. */
export const groqModels: Models = {
  chat: [
    [['openai/gpt-oss-120b', 'openai/gpt-oss-120b'], 'GPT-OSS 120B', 0.15, 0.6, 131_072, 65_536, 0.82],
    [['openai/gpt-oss-20b', 'openai/gpt-oss-20b'], 'GPT-OSS 20B', 0.075, 0.3, 131_072, 65_536, 0.75],
    [['qwen/qwen3.8-27b', 'qwen/qwen3.8-27b'], 'Qwen3.8 27B', 0.8, 4, 131_072, 32_768, 0.84],
  ],
  transcription: [
    [['openai/whisper-large-v3', 'whisper-large-v3'], 'Whisper Large v3', 0.00185],
    [['openai/whisper-large-v3-turbo', 'whisper-large-v3-turbo'], 'Whisper Large v3 Turbo', 0.000667],
  ],
  rates: (name) => (name.includes('gpt-oss') ? { cacheRead: 0.5 } : undefined),
};

export const togetherModels: Models = {
  chat: [
    [['openai/gpt-oss-120b', 'openai/gpt-oss-120b'], 'GPT-OSS 120B', 0.15, 0.6, 131_072, 65_536, 0.82],
    [['openai/gpt-oss-20b', 'openai/gpt-oss-20b'], 'GPT-OSS 20B', 0.05, 0.2, 131_072, 65_536, 0.75],
    [['qwen/qwen3.7-max', 'Qwen/Qwen3.7-Max'], 'Qwen3.7 Max', 1.5, 4.5, 1_000_000, 65_536, 0.9],
    [['deepseek/deepseek-v4-pro', 'deepseek-ai/DeepSeek-V4-Pro'], 'DeepSeek V4 Pro', 1.74, 3.48, 512_000, 65_536, 0.92],
    [['z-ai/glm-5.1', 'zai-org/GLM-5.1'], 'GLM 5.1', 1.4, 4.4, 202_752, 65_536, 0.89],
    [
      ['meta-llama/llama-3.3-70b-instruct', 'meta-llama/Llama-3.3-70B-Instruct-Turbo'],
      'Llama 3.3 70B',
      ...([0.88, 0.88, 131_072, 8_192, 0.7] as const),
    ],
  ],
};

const fireworksModel = (id: string, name: string): [string, string] => [id, `accounts/fireworks/models/${name}`];

const cachedAtFireworks: [RegExp, Rates][] = [
  [/gpt-oss-120b$/, { cacheRead: 0.015 / 0.15 }],
  [/kimi-k2p6$/, { cacheRead: 0.16 / 0.95 }],
  [/glm-5p1$/, { cacheRead: 0.26 / 1.4 }],
];

export const fireworksModels: Models = {
  chat: [
    [fireworksModel('openai/gpt-oss-120b', 'gpt-oss-120b'), 'GPT-OSS 120B', 0.15, 0.6, 131_072, 65_536, 0.82],
    [fireworksModel('openai/gpt-oss-20b', 'gpt-oss-20b'), 'GPT-OSS 20B', 0.07, 0.3, 131_072, 65_536, 0.75],
    [fireworksModel('moonshotai/kimi-k2.6', 'kimi-k2p6'), 'Kimi K2.6', 0.95, 4, 262_144, 65_536, 0.9],
    [fireworksModel('z-ai/glm-5.1', 'glm-5p1'), 'GLM 5.1', 1.4, 4.4, 202_752, 65_536, 0.89],
    [
      fireworksModel('deepseek/deepseek-flash', 'deepseek-v4p1-flash'),
      'DeepSeek V4.1 Flash',
      0.22,
      0.66,
      1_049_000,
      393_000,
      0.87,
    ],
    [fireworksModel('minimax/minimax-m2.7', 'minimax-m2p7'), 'MiniMax M2.7', 0.3, 1.2, 204_800, 65_536, 0.86],
  ],
  rates: (name) => cachedAtFireworks.find(([names]) => names.test(name))?.[1],
};

/** On the operator's own machine, so free. Only pulled models answer; sync-models finds others. */
export const ollamaModels: Models = {
  chat: [
    [['openai/gpt-oss-20b', 'gpt-oss:20b'], 'GPT-OSS 20B', 0, 0, 131_072, 32_768, 0.75],
    [['ollama/qwen3', 'qwen3'], 'Qwen3', 0, 0, 40_960, 8_192, 0.7],
    [['ollama/llama3.2', 'llama3.2'], 'Llama 3.2', 0, 0, 131_072, 8_192, 0.55],
  ],
  embedding: [[['ollama/nomic-embed-text', 'nomic-embed-text'], 'Nomic Embed Text', 0, 8_192]],
};

export const sambanovaModels: Models = {
  chat: [
    [['openai/gpt-oss-120b', 'gpt-oss-120b'], 'GPT-OSS 120B', 0.22, 0.59, 131_072, 32_768, 0.82],
    [
      ['meta-llama/llama-3.3-70b-instruct', 'Meta-Llama-3.3-70B-Instruct'],
      'Llama 3.3 70B',
      ...([0.6, 1.2, 131_072, 8_192, 0.7] as const),
    ],
  ],
};
