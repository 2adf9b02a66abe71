import { useState } from 'react';
import { serverText } from './language/server-texts.ts';
import { t } from './language/words.ts';

/** The state of a connection test. */
export interface TestState {
  state: 'running' | 'ok' | 'failed';
  latencyMs?: number;
  error?: string;
}

interface Answer {
  ok: boolean;
  latency_ms: number;
  error?: string;
}

/** Runs tests and keeps their results by id. `test` resolves to the error message, or null on success. */
export function useConnectionTests(ask: (id: number) => Promise<Answer>) {
  const [tried, setTried] = useState<Record<number, TestState>>({});
  const note = (id: number, result: TestState) => setTried((before) => ({ ...before, [id]: result }));
  const test = async (id: number): Promise<string | null> => {
    note(id, { state: 'running' });
    try {
      const { ok, latency_ms: latencyMs, error: fault } = await ask(id);
      const error = fault === undefined ? t('No response') : serverText(fault);
      note(id, ok ? { state: 'ok', latencyMs } : { state: 'failed', error });
      return ok ? null : error;
    } catch (error) {
      note(id, { state: 'failed', error: (error as Error).message });
      return (error as Error).message;
    }
  };
  return { tried, test };
}
