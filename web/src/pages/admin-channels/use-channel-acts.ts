import { useState } from 'react';
import { type Channel, reloadCatalog, switchedOff, switchedOn } from '../../catalog.ts';
import { switchChannel, syncModels, testChannel } from '../../components/add-by-preset.ts';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { useConnectionTests } from '../../use-connection-tests.ts';

const syncedText = (name: string, { added, kept, missing, unpriced }: Awaited<ReturnType<typeof syncModels>>): string =>
  t(
    '{name}: {added, plural, one {# model} other {# models}} added, {kept} already present{missing, plural, =0 {} other {, # no longer listed by the provider}}{unpriced, plural, =0 {} other {, # of the new models disabled until priced (see Models)}}.',
    { name, added: added.length, kept, missing: missing.length, unpriced },
  );

/** A channel that failed its test. Enabling it anyway would send it requests that it cannot answer. */
interface Failing {
  channel: Channel;
  error: string;
}

/** Actions of a row in the channel table. */
export function useChannelActs() {
  const { tried, test } = useConnectionTests(testChannel);
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
    notifySuccess(t('{name} is enabled', { name }));
  };
  const toggle = useAct(
    {
      mutationFn: async (channel: Channel): Promise<void> => {
        if (channel.status === switchedOn) {
          await switchChannel(channel.id, switchedOff);
          notifySuccess(t('{name} is disabled', { name: channel.name }));
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
