import type { Models, Rates } from '../vendor.ts';

/** Under `google/` in public names, as the vendor; the provider of the channel is `gemini`. */
const own = (model: string): [string, string] => [`google/${model}`, model];

/** Sound costs the same at these whatever else a prompt holds; at the others, as much as text. */
const audioIn: Record<string, number> = {
  'gemini-3.1-flash-lite': 0.5,
  'gemini-3-flash-preview': 1,
  'gemini-2.5-flash': 1,
  'gemini-2.5-flash-lite': 0.3,
};

/** What is kept in a cache costs by the hour as well, which is not in here. */
function ratesOf(name: string): Rates {
  const rates: Rates = { cacheRead: 0.1 };
  if (/-pro\b/.test(name)) rates.long = { above: 200_000, prompt: 2, completion: 1.5 };
  if (audioIn[name]) rates.audioIn = audioIn[name];
  return rates;
}

export const geminiModels: Models = {
  chat: [
    // The 3.6 to 3.8 Flash prices are announced to double on 2027-01-01.
    [own('gemini-3.8-flash'), 'Gemini 3.8 Flash', 0.75, 3.75, 1_000_000, 65_536, 0.94],
    [own('gemini-3.7-flash'), 'Gemini 3.7 Flash', 0.75, 3.75, 1_000_000, 65_536, 0.93],
    [own('gemini-3.6-flash'), 'Gemini 3.6 Flash', 0.75, 3.75, 1_000_000, 65_536, 0.92],
    [own('gemini-3.5-flash'), 'Gemini 3.5 Flash', 1.5, 9, 1_000_000, 65_536, 0.91],
    [own('gemini-3.5-flash-lite'), 'Gemini 3.5 Flash-Lite', 0.3, 2.5, 1_000_000, 65_536, 0.85],
    [own('gemini-3.1-pro-preview'), 'Gemini 3.1 Pro (preview)', 2, 12, 1_000_000, 65_536, 0.93],
    [own('gemini-3.1-flash-lite'), 'Gemini 3.1 Flash-Lite', 0.25, 1.5, 1_000_000, 65_536, 0.82],
    [own('gemini-3-flash-preview'), 'Gemini 3 Flash (preview)', 0.5, 3, 1_000_000, 65_536, 0.87],
    [own('gemini-2.5-pro'), 'Gemini 2.5 Pro', 1.25, 10, 1_048_576, 65_536, 0.86],
    [own('gemini-2.5-flash'), 'Gemini 2.5 Flash', 0.3, 2.5, 1_048_576, 65_536, 0.81],
    [own('gemini-2.5-flash-lite'), 'Gemini 2.5 Flash-Lite', 0.1, 0.4, 1_048_576, 65_536, 0.73],
  ],
  embedding: [[own('gemini-embedding-001'), 'Gemini Embedding', 0.15, 2_048]],
  image: [
    [own('gemini-3.1-flash-image-preview'), 'Gemini 3.1 Flash Image (preview)', 0.067],
    [own('gemini-2.5-flash-image'), 'Gemini 2.5 Flash Image', 0.039],
  ],
  rates: ratesOf,
};
