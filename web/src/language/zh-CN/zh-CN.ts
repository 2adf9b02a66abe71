import words from './index.ts';

// Read by words.ts: it is there before the app is.
(globalThis as { svcWords?: object }).svcWords = words;
