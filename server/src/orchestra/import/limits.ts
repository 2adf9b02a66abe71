const mebibyte = 1024 * 1024;

/** Limits of one import. Each keeps one user's import from blocking the process for others. */
export const importLimits = {
  entries: 1_000,
  files: 20,
  fileBytes: 10 * mebibyte,
  /** All files of a request are in memory at once. */
  requestBytes: 32 * mebibyte,
  /** A file of ten mebibytes makes seven thousand passages; a file of headings alone would make a million. */
  passages: 10_000,
  pages: 2_000,
  /** Length of a PDF's text, because compressed text may be a thousand times smaller than its content. */
  characters: 12 * mebibyte,
  /** Reading a file takes seconds at most; files crafted to take forever are aborted. */
  readingMs: 120_000,
  /** A single allocation while reading a PDF, and all of them together. */
  allocationBytes: 64 * mebibyte,
  allocatedBytes: 1024 * mebibyte,
  /** How much the process may grow while reading, because numbers and strings are not counted when allocated. */
  growthBytes: 768 * mebibyte,
} as const;

export interface PassageLimits {
  passages: number;
  pages: number;
  characters: number;
  allocationBytes: number;
  allocatedBytes: number;
}
