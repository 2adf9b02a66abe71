import { ApiError } from '../../api.ts';
import { type AnswerEntry, type Entry, isRunning } from './conversation.ts';

/** Where a tab keeps its conversation through a reload; closing the tab ends it. */
const place = 'svc-playground';

interface KeptError {
  status: number;
  message: string;
  requestId: string | null;
}

/** Errors are no JSON of their own, and what still runs does not outlive the page. */
function packedAnswer(answer: AnswerEntry): object {
  const { error } = answer;
  const kept: KeptError | null = error && {
    status: error instanceof ApiError ? error.status : 0,
    message: error.message,
    requestId: error instanceof ApiError ? error.requestId : null,
  };
  return { ...answer, error: kept, ...(isRunning(answer) && { state: 'stopped' }) };
}

function unpackedAnswer(answer: AnswerEntry): AnswerEntry {
  // As it was packed.
  const kept = answer.error as unknown as KeptError | null;
  return { ...answer, error: kept && new ApiError(kept.status, kept.message, kept.requestId) };
}

export const packed = (userId: number, entries: Entry[]): string =>
  JSON.stringify({
    userId,
    entries: entries.map((entry) => (entry.role === 'assistant' ? packedAnswer(entry) : entry)),
  });

/** Of somebody else, or of an earlier version that wrote something else: nothing. */
export function unpacked(userId: number, text: string | null): Entry[] {
  try {
    const kept = JSON.parse(text ?? '{}') as { userId?: number; entries?: Entry[] };
    if (kept.userId !== userId || !Array.isArray(kept.entries)) return [];
    return kept.entries.map((entry) => (entry.role === 'assistant' ? unpackedAnswer(entry) : entry));
  } catch {
    return [];
  }
}

/** A browser keeps some megabytes: pictures, and the requests for copying, which repeat all that was said, go first. */
const lighter = (entries: Entry[]): Entry[] =>
  entries.map((entry) => {
    if (entry.role === 'user') return { ...entry, images: [] };
    return entry.role === 'assistant' ? { ...entry, request: { model: entry.model } } : entry;
  });

export function keepChat(userId: number, entries: Entry[]): void {
  for (const some of [entries, lighter(entries)]) {
    try {
      sessionStorage.setItem(place, packed(userId, some));
      return;
    } catch {
      // Full, or forbidden by the browser: then the next, and at last nothing.
      forgetChat();
    }
  }
}

export function keptChat(userId: number): Entry[] {
  try {
    return unpacked(userId, sessionStorage.getItem(place));
  } catch {
    return [];
  }
}

export function forgetChat(): void {
  try {
    sessionStorage.removeItem(place);
  } catch {
    // Forbidden by the browser: then nothing is there.
  }
}
