const mebibyte = 1024 * 1024;

/** What one import may bring: each figure keeps a process that reads for one user from standing still for the others. */
export const importLimits = {
  entries: 1_000,
  files: 20,
  fileBytes: 10 * mebibyte,
  /** All files of one request are in memory at once. */
  requestBytes: 32 * mebibyte,
  /** A file of ten mebibytes makes seven thousand passages; one of headings alone would make a million. */
  passages: 10_000,
  pages: 2_000,
  /** Of the text of a PDF: what it says may be packed a thousand times smaller than it is. */
  characters: 12 * mebibyte,
  /** Reading a file takes seconds at most; one that is made to take for ever is given up. */
  readingMs: 120_000,
  /** A single piece of unpacked PDF, and all that is asked for while it is read. */
  allocationBytes: 64 * mebibyte,
  allocatedBytes: 1024 * mebibyte,
  /** By how much the process may grow meanwhile: numbers and texts are not counted as they are made. */
  growthBytes: 768 * mebibyte,
} as const;

export interface PassageLimits {
  passages: number;
  pages: number;
  characters: number;
  allocationBytes: number;
  allocatedBytes: number;
}
