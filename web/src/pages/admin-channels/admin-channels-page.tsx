import { Alert, Stack, Text } from '@mantine/core';
import { IconInfoCircle, IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { del, put } from '../../api.ts';
import { allChannelsQuery, type Channel, channelPageSize, channelsQuery, reloadCatalog } from '../../catalog.ts';
import { AddButton } from '../../components/add-button.tsx';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import { useOpened, usePage } from '../../use-url-state.ts';
import { AddChannel } from './add-channel.tsx';
import { channelColumns } from './channel-columns.tsx';
import { bodyOf, type ChannelFields, fieldsOf, isElsewhere, storedWords } from './channel-fields.ts';
import { ChannelForm } from './channel-form.tsx';
import { Credentials } from './credentials.tsx';
import { useChannelActs } from './use-channel-acts.ts';

type Open = { act: 'edit' | 'remove'; channel: Channel } | { act: 'add' };

interface EditChannelProps {
  channel: Channel;
  onClose: () => void;
  /** Called if the change affects where requests are sent, or with which credential. */
  onMoved: (channel: Channel) => void;
}

function EditChannel({ channel, onClose, onMoved }: EditChannelProps) {
  const [before] = useState(() => fieldsOf(channel));
  const save = async (fields: ChannelFields) => {
    const body = bodyOf(fields, before);
    if (Object.keys(body).length > 0) await put('/api/admin/channels/{id}', { path: { id: channel.id }, body });
    notifySuccess(t('Channel saved'));
    onClose();
    if (isElsewhere(body)) onMoved(channel);
    await reloadCatalog();
  };
  const hint = channel.has_credential ? storedWords(channel.credential_hint) : undefined;
  return (
    <Dialog opened onClose={onClose} title={t('Edit {name}', { name: channel.name })} size="xl">
      <ChannelForm initial={before} submitLabel={t('Save')} credentialHint={hint} onCancel={onClose} onSubmit={save} />
    </Dialog>
  );
}

export function AdminChannelsPage() {
  const [page, setPage] = usePage();
  const query = useQuery(channelsQuery(page));
  const navigate = useNavigate();
  const acts = useChannelActs();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const [shown, show] = useOpened('credentials');
  // Deep links from other pages: a channel's id, or `known` or `custom` to add one, by a key alone or by its address.
  const [opened, setOpened] = useOpened();
  const all = useQuery({ ...allChannelsQuery, enabled: /^\d+$/.test(opened) }).data?.channels;
  const namedChannel = all?.find(({ id }) => String(id) === opened);
  const button = <AddButton onClick={() => setOpen({ act: 'add' })}>{t('Add channel')}</AddButton>;
  const { channels, total = 0, built_in: builtIn } = query.data ?? {};
  return (
    <>
      <PageHeader
        title={t('Channels')}
        description={t('A channel is one address of a provider and the credentials used to call it.')}
        actions={button}
      />
      {builtIn?.active && (
        <Alert mb="md" color="indigo" variant="light" icon={<IconInfoCircle aria-hidden />}>
          {builtIn.mode === 'auto'
            ? t(
                'The built-in simulation is answering requests because no other enabled channel serves a model. It stops automatically when one does.',
              )
            : t('The built-in simulation is answering requests.')}
        </Alert>
      )}
      <DataTable
        label={t('Channels')}
        columns={channelColumns({
          ...acts,
          credentials: ({ id }) => show(String(id)),
          models: ({ id }) => navigate({ to: '/admin/models', search: { channel: String(id) } }),
          edit: (channel) => setOpen({ act: 'edit', channel }),
          remove: (channel) => setOpen({ act: 'remove', channel }),
        })}
        rows={channels}
        rowKey={({ id }) => id}
        query={query}
        minWidth={960}
        paging={{ page, pageSize: channelPageSize, total, onPage: setPage }}
        empty={{
          icon: IconPlugConnected,
          title: t('No channels yet'),
          description: t('Add a provider with just its API key, or any OpenAI-compatible server by its address.'),
          action: button,
        }}
      />
      <Credentials
        channelId={shown}
        name={channels?.find(({ id }) => String(id) === shown)?.name}
        onClose={() => show('')}
      />
      {open?.act === 'add' && <AddChannel first="known" onClose={close} />}
      {(opened === 'known' || opened === 'custom') && <AddChannel first={opened} onClose={() => setOpened('')} />}
      {namedChannel && (
        <EditChannel key={opened} channel={namedChannel} onClose={() => setOpened('')} onMoved={acts.test} />
      )}
      {open?.act === 'edit' && <EditChannel channel={open.channel} onClose={close} onMoved={acts.test} />}
      <ConfirmDelete
        opened={acts.failing !== null}
        onClose={acts.leaveOff}
        title={acts.failing ? t('Enable {name} anyway?', { name: acts.failing.channel.name }) : t('Enable')}
        confirmLabel={t('Enable anyway')}
        onConfirm={acts.enableAnyway}
      >
        <Stack gap="xs">
          <Text inherit className="svc-anywhere">
            {t('Test failed: {error}', { error: serverText(acts.failing?.error ?? '') })}
          </Text>
          <Text inherit>{t('Requests sent to this channel would fail too.')}</Text>
        </Stack>
      </ConfirmDelete>
      <ConfirmDelete
        opened={open?.act === 'remove'}
        onClose={close}
        title={open?.act === 'remove' ? t('Delete {name}?', { name: open.channel.name }) : t('Delete')}
        confirmLabel={t('Delete channel')}
        onConfirm={async () => {
          if (open?.act === 'remove') await del('/api/admin/channels/{id}', { path: { id: open.channel.id } });
          notifySuccess(t('Channel deleted'));
          await reloadCatalog();
        }}
      >
        {t(
          'Its credentials and models are deleted too. Requests go to other channels that serve the same models, if any.',
        )}
      </ConfirmDelete>
    </>
  );
}
