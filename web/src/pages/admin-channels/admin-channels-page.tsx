import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconInfoCircle, IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { del, put } from '../../api.ts';
import { allChannelsQuery, type Channel, channelPageSize, channelsQuery, reloadCatalog } from '../../catalog.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { useOpened, usePage } from '../../use-url-state.ts';
import { AddChannel } from './add-channel.tsx';
import { channelColumns } from './channel-columns.tsx';
import { bodyOf, type ChannelFields, fieldsOf, isElsewhere } from './channel-fields.ts';
import { ChannelForm } from './channel-form.tsx';
import { useChannelActs } from './use-channel-acts.ts';

type Open = { act: 'add' } | { act: 'edit' | 'remove'; channel: Channel };

interface EditChannelProps {
  channel: Channel;
  onClose: () => void;
  /** Runs when requests go elsewhere from now on, or with another credential. */
  onMoved: (channel: Channel) => void;
}

function EditChannel({ channel, onClose, onMoved }: EditChannelProps) {
  const [before] = useState(() => fieldsOf(channel));
  const save = async (fields: ChannelFields) => {
    const body = bodyOf(fields, before);
    if (Object.keys(body).length > 0) await put('/api/admin/channels/{id}', { path: { id: channel.id }, body });
    notifySuccess('Channel saved');
    onClose();
    if (isElsewhere(body)) onMoved(channel);
    await reloadCatalog();
  };
  const hint = channel.has_credential
    ? `Stored${channel.credential_hint ? `: ${channel.credential_hint}` : ''}`
    : undefined;
  return (
    <Dialog opened onClose={onClose} title={`Edit ${channel.name}`} size="xl">
      <ChannelForm initial={before} submitLabel="Save" credentialHint={hint} onCancel={onClose} onSubmit={save} />
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
  const [named, setNamed] = useOpened();
  const all = useQuery({ ...allChannelsQuery, enabled: named !== '' }).data?.channels;
  const namedChannel = all?.find(({ id }) => String(id) === named);
  const button = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen({ act: 'add' })}>
      Add channel
    </Button>
  );
  const { channels, total = 0, built_in: builtIn } = query.data ?? {};
  return (
    <>
      <PageHeader
        title="Channels"
        description="A channel is one credential at one address of one provider."
        actions={button}
      />
      {builtIn?.active && (
        <Alert mb="md" color="indigo" variant="light" icon={<IconInfoCircle aria-hidden />}>
          The built-in simulation is answering
          {builtIn.mode === 'auto'
            ? ' because no other channel that is enabled serves a model. It steps back when one does.'
            : '.'}
        </Alert>
      )}
      <DataTable
        label="Channels"
        columns={channelColumns({
          ...acts,
          models: ({ id }) => navigate({ to: '/admin/models', search: { channel: String(id) } }),
          edit: (channel) => setOpen({ act: 'edit', channel }),
          remove: (channel) => setOpen({ act: 'remove', channel }),
        })}
        rows={channels}
        rowKey={({ id }) => id}
        query={query}
        minWidth={960}
        paging={{ page, pageSize: channelPageSize, total, onPage: setPage }}
        empty={
          <EmptyState
            icon={IconPlugConnected}
            title="No channels yet"
            description="Add a provider with nothing but its key, or any OpenAI-compatible server by its address."
            action={button}
          />
        }
      />
      {open?.act === 'add' && <AddChannel onClose={close} />}
      {namedChannel && (
        <EditChannel key={named} channel={namedChannel} onClose={() => setNamed('')} onMoved={acts.test} />
      )}
      {open?.act === 'edit' && <EditChannel channel={open.channel} onClose={close} onMoved={acts.test} />}
      <ConfirmDelete
        opened={acts.failing !== null}
        onClose={acts.leaveOff}
        title={acts.failing ? `Enable ${acts.failing.channel.name} all the same?` : 'Enable'}
        confirmLabel="Enable all the same"
        onConfirm={acts.enableAnyway}
      >
        <Stack gap="xs">
          <Text inherit className="svc-anywhere">
            Its test failed: {acts.failing?.error}
          </Text>
          <Text inherit>Requests that are sent there would fail as well.</Text>
        </Stack>
      </ConfirmDelete>
      <ConfirmDelete
        opened={open?.act === 'remove'}
        onClose={close}
        title={open?.act === 'remove' ? `Delete ${open.channel.name}?` : 'Delete'}
        confirmLabel="Delete channel"
        onConfirm={async () => {
          if (open?.act === 'remove') await del('/api/admin/channels/{id}', { path: { id: open.channel.id } });
          notifySuccess('Channel deleted');
          await reloadCatalog();
        }}
      >
        Its credential and the models it serves are deleted with it. Requests go to other channels, if any serve the
        same models.
      </ConfirmDelete>
    </>
  );
}
