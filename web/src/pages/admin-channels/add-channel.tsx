import { Button, Group, Stack, Tabs } from '@mantine/core';
import { useState } from 'react';
import { put } from '../../api.ts';
import { type Channel, switchedOff } from '../../catalog.ts';
import { type Added, tryOut } from '../../components/add-by-preset.ts';
import { AddProvider } from '../../components/add-provider.tsx';
import { AddedProvider } from '../../components/added-provider.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { usePost } from '../../idempotent-post.ts';
import { t } from '../../language/words.ts';
import { bodyOf, type ChannelFields, emptyChannel } from './channel-fields.ts';
import { ChannelForm } from './channel-form.tsx';

function AddCustom({ onClose }: { onClose: () => void }) {
  const post = usePost();
  // The channel exists but its test failed: saving the form again updates it instead of creating a second one.
  const [made, setMade] = useState<Channel | null>(null);
  const [added, setAdded] = useState<Added | null>(null);
  const save = (fields: ChannelFields): Promise<Channel> => {
    if (made) return put('/api/admin/channels/{id}', { path: { id: made.id }, body: bodyOf(fields) });
    // The cast is safe: the form has validated the fields that the route's schema requires.
    return post('/api/admin/channels', { body: { ...bodyOf(fields), status: switchedOff } as { name: string } });
  };
  const add = async (fields: ChannelFields) => {
    setAdded(null);
    const channel = await save(fields);
    setMade(channel);
    setAdded(await tryOut(channel));
  };
  const removed = () => {
    setMade(null);
    setAdded(null);
  };
  const outcome = added && <AddedProvider added={added} onTried={setAdded} onRemoved={removed} />;
  if (added?.test.ok) {
    return (
      <Stack>
        {outcome}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('Done##verb')}
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack>
      <ChannelForm initial={emptyChannel} submitLabel={t('Add and test')} onCancel={onClose} onSubmit={add} />
      {outcome}
    </Stack>
  );
}

/**
 * A new channel stays disabled until its test succeeds; meanwhile the simulation and the other channels keep answering.
 */
export function AddChannel({ first, onClose }: { first: 'known' | 'custom'; onClose: () => void }) {
  return (
    <Dialog opened onClose={onClose} title={t('Add a channel')} size="xl">
      <Tabs defaultValue={first}>
        <Tabs.List mb="md">
          <Tabs.Tab value="known">{t('Known provider')}</Tabs.Tab>
          <Tabs.Tab value="custom">{t('Custom')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="known" mih={220}>
          <AddProvider />
        </Tabs.Panel>
        <Tabs.Panel value="custom">
          <AddCustom onClose={onClose} />
        </Tabs.Panel>
      </Tabs>
    </Dialog>
  );
}
