import { useState } from 'react';
import { said } from './language/said.ts';
import { t } from './language/words.ts';

/** How trying something out went. */
export interface Tried {
  state: 'running' | 'ok' | 'failed';
  latencyMs?: number;
  error?: string;
}

interface Answer {
  ok: boolean;
  latency_ms: number;
  error?: string;
}

/** Tries things out one by one, and remembers how it went by their id. Resolves to what went wrong, or null. */
export function useTests(ask: (id: number) => Promise<Answer>) {
  const [tried, setTried] = useState<Record<number, Tried>>({});
  const note = (id: number, result: Tried) => setTried((before) => ({ ...before, [id]: result }));
  const test = async (id: number): Promise<string | null> => {
    note(id, { state: 'running' });
    try {
      const { ok, latency_ms: latencyMs, error: fault } = await ask(id);
      const error = fault === undefined ? t('No answer') : said(fault);
      note(id, ok ? { state: 'ok', latencyMs } : { state: 'failed', error });
      return ok ? null : error;
    } catch (error) {
      note(id, { state: 'failed', error: (error as Error).message });
      return (error as Error).message;
    }
  };
  return { tried, test };
}
