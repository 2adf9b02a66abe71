const content =
  "Google's store of files is not offered: put the content itself into a request (`inlineData`, 32 MiB in all), or its https address (`fileData`).";

/** APIs of Google's libraries that this service does not have, and what to use instead. */
const elsewhere: [RegExp, string][] = [
  [/^(\/upload)?\/v1beta\/files(\/|$)/, content],
  [
    /^\/v1beta\/cachedContents(\/|$)/,
    "Caches in a vendor's account are not offered: send the content with each request; vendors cache repeated beginnings themselves.",
  ],
  [/^\/v1beta\/batches(\/|$)|:(batchGenerateContent|asyncBatchEmbedContent)$/, 'Use the batches at /v1/batches.'],
  [/^\/v1beta\/.+:predictLongRunning$/s, 'Use the videos at /v1/videos.'],
  [/^\/v1beta\/.+:predict$/s, 'Use the images at /v1/images/generations.'],
  [/^\/v1beta\/interactions(\/|$)/, 'Use generateContent, or the responses at /v1/responses.'],
  [/^\/ws\/google\.ai\.generativelanguage\./, 'Use the realtime sessions at /v1/realtime.'],
];

/** A further sentence for an error about an address; empty for most. */
export function insteadOf(path: string): string {
  const found = elsewhere.find(([pattern]) => pattern.test(path));
  return found ? ` ${found[1]}` : '';
}
