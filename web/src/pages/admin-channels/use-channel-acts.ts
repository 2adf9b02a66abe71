import { useState } from 'react';
import { type Channel, reloadCatalog, switchedOff, switchedOn } from '../../catalog.ts';
import { switchChannel, syncModels, testChannel } from '../../components/add-by-preset.ts';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { useAct } from '../../use-act.ts';
import { useTests } from '../../use-tests.ts';

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

function syncedText(name: string, { added, kept, missing, unpriced }: Awaited<ReturnType<typeof syncModels>>): string {
  const parts = [`${count(added.length, 'model')} added`, `${kept} known already`];
  if (missing.length > 0) parts.push(`${missing.length} no longer listed there`);
  if (unpriced > 0) parts.push(`${unpriced} of the new ones stay disabled until they have a price (see Models)`);
  return `${name}: ${parts.join(', ')}.`;
}

/** An enabled channel whose test fails would take requests and answer none of them. */
interface Failing {
  channel: Channel;
  error: string;
}

/** What a row of the channel table can do by itself. */
export function useChannelActs() {
  const { tried, test } = useTests(testChannel);
  const [failing, setFailing] = useState<Failing | null>(null);
  const sync = useAct(
    {
      mutationFn: ({ id }: Channel) => syncModels(id),
      onSuccess: (result, { name }) => notifySuccess(syncedText(name, result)),
      onError: notifyError,
      onSettled: reloadCatalog,
    },
    ({ id }) => id,
  );
  const enable = async ({ id, name }: Channel): Promise<void> => {
    await switchChannel(id, switchedOn);
    notifySuccess(`${name} is enabled`);
  };
  const toggle = useAct(
    {
      mutationFn: async (channel: Channel): Promise<void> => {
        if (channel.status === switchedOn) {
          await switchChannel(channel.id, switchedOff);
          notifySuccess(`${channel.name} is disabled`);
          return;
        }
        const error = await test(channel.id);
        if (error === null) await enable(channel);
        else setFailing({ channel, error });
      },
      onError: notifyError,
      onSettled: reloadCatalog,
    },
    ({ id }) => id,
  );
  return {
    tried,
    test: ({ id }: Channel) => void test(id),
    sync: sync.mutate,
    toggle: toggle.mutate,
    failing,
    leaveOff: () => setFailing(null),
    enableAnyway: async () => {
      if (failing) await enable(failing.channel);
      await reloadCatalog();
    },
  };
}
