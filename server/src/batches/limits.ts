const mebibyte = 1024 * 1024;

export const limits = {
  /** Per batch, as at OpenAI. */
  requests: 50_000,
  /** A line is read whole, and as many at once as requests in progress. */
  lineBytes: 8 * mebibyte,
  customIdLength: 512,
  /** The first errors tell what is wrong with the others. */
  errors: 100,
  /** Unfinished batches of one user. */
  running: 20,
  /** OpenAI's range: an hour to thirty days. */
  leastExpirySeconds: 3_600,
  mostExpirySeconds: 30 * 86_400,
  /** Of files, Anthropic's maximum. */
  mostAnthropicExpirySeconds: 90 * 86_400,
  /** Of an upload in parts, as at OpenAI: size of a part, and time for all. */
  partBytes: 64 * mebibyte,
  uploadSeconds: 3_600,
  /** Each is a row and a blob; at the size clients choose, eight gigabytes are 128. */
  parts: 1_000,
  windowSeconds: 86_400,
  /** Of a finished batch, and of files with requests or results. */
  keptSeconds: 30 * 86_400,
};

/** Batches per process, and requests in progress per batch: 32 calls in all. */
export const parallel = { batches: 4, requests: 8 };
