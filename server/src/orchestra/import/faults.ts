import { importLimits } from './limits.ts';

const { passages, pages, fileBytes } = importLimits;
const count = (number: number): string => number.toLocaleString('en');

/** Reasons why a file cannot be imported, each with advice for its owner. */
export const faultTexts = {
  empty: 'The file contains no text. Check that it is the right file.',
  archive:
    'The file is a ZIP archive, as Office documents and e-books are. Save it as PDF or plain text and import that.',
  not_text: 'The file is neither text nor PDF. Save it as PDF, Markdown or plain text and import that.',
  not_unicode: 'The text is not valid UTF-8 or UTF-16. Save it as UTF-8 and import it again.',
  too_large: `The file is larger than ${fileBytes / 1024 / 1024} MiB. Split it and import the parts.`,
  too_many_passages: `The file produces more than ${count(passages)} passages. Split it and import the parts.`,
  too_many_pages: `The PDF has more than ${count(pages)} pages. Split it and import the parts.`,
  too_much: 'Reading the file needs more memory than allowed. Save it as plain text, or split it and import the parts.',
  too_slow: 'The file took too long to read. Save it as plain text, or split it and import the parts.',
  encrypted: 'The PDF is protected by a password. Save a copy without one and import that.',
  damaged: 'The PDF is damaged. Open it in a PDF reader, save it again and import that.',
  no_text:
    'The PDF contains no text; its pages seem to be images. Run text recognition (OCR) on it and import the result.',
  unreadable: 'The file could not be read. Save it as plain text or print it to a new PDF and import that.',
} as const;

export type Fault = keyof typeof faultTexts;

/** Thrown when a file cannot be read; any other error is an internal one. */
export class FileFault extends Error {
  constructor(readonly fault: Fault) {
    super(faultTexts[fault]);
  }
}
