import type { Words } from '../words.ts';
import pages from './index.ts';
import service from './service.ts';

// Read by words.ts: it is there before the app is.
(globalThis as { svcWords?: Words }).svcWords = { pages, service };
