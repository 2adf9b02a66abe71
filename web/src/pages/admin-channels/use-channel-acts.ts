import { useState } from 'react';
import { put } from '../../api.ts';
import { type Channel, reloadCatalog } from '../../catalog.ts';
import { syncModels, testChannel } from '../../components/add-by-preset.ts';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { useAct } from '../../use-act.ts';
import type { Tried } from './channel-columns.tsx';

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

function syncedText(name: string, { added, kept, missing, unpriced }: Awaited<ReturnType<typeof syncModels>>): string {
  const parts = [`${count(added.length, 'model')} added`, `${kept} known already`];
  if (missing.length > 0) parts.push(`${missing.length} no longer listed there`);
  if (unpriced > 0) parts.push(`${unpriced} of the new ones stay disabled until they have a price (see Models)`);
  return `${name}: ${parts.join(', ')}.`;
}

/** What a row of the channel table can do by itself. */
export function useChannelActs() {
  const [tried, setTried] = useState<Record<number, Tried>>({});
  const note = (id: number, result: Tried) => setTried((before) => ({ ...before, [id]: result }));
  const test = async ({ id }: Channel) => {
    note(id, { state: 'running' });
    try {
      const { ok, latency_ms: latencyMs, error } = await testChannel(id);
      note(id, ok ? { state: 'ok', latencyMs } : { state: 'failed', error: error ?? 'No answer' });
    } catch (error) {
      note(id, { state: 'failed', error: (error as Error).message });
    }
  };
  const sync = useAct(
    {
      mutationFn: ({ id }: Channel) => syncModels(id),
      onSuccess: (result, { name }) => notifySuccess(syncedText(name, result)),
      onError: notifyError,
      onSettled: reloadCatalog,
    },
    ({ id }) => id,
  );
  const toggle = useAct(
    {
      mutationFn: ({ id, status }: Channel) =>
        put('/api/admin/channels/{id}', { path: { id }, body: { status: status === 1 ? 2 : 1 } }),
      onSuccess: ({ name, status }) => notifySuccess(status === 1 ? `${name} is enabled` : `${name} is disabled`),
      onError: notifyError,
      onSettled: reloadCatalog,
    },
    ({ id }) => id,
  );
  return { tried, test: (channel: Channel) => void test(channel), sync: sync.mutate, toggle: toggle.mutate };
}
