import { Button, Group, Menu, Text } from '@mantine/core';
import { IconPlus, IconUnlink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, type Result } from '../../api.ts';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { t } from '../../language/words.ts';
import { identitiesQuery, reloadIdentities, waysQuery } from '../../sign-in.ts';
import { useAct } from '../../use-act.ts';
import { ConnectAccount } from './connect-account.tsx';

type Identity = Result<'/api/user/identities', 'get'>['identities'][number];

const columns = (disconnect: (identity: Identity) => void, busy: boolean): Column<Identity>[] => [
  {
    key: 'provider',
    header: t('Provider'),
    cell: ({ provider, vouches }) => (
      <>
        <Text size="sm">{provider.name}</Text>
        {vouches && (
          <Text size="xs" c="dimmed">
            {t('Confirms your identity to MCP servers')}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'label',
    header: t('Account'),
    cell: ({ label }) => (
      <Text size="sm" className="svc-anywhere">
        {label}
      </Text>
    ),
  },
  { key: 'created', header: t('Connected##when'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  { key: 'used', header: t('Last used'), cell: ({ last_used_at }) => <TimeAgo at={last_used_at} /> },
  menuColumn(
    (identity) => t('{account} ({provider})', { account: identity.label, provider: identity.provider.name }),
    (identity) => [
      { label: t('Disconnect'), icon: IconUnlink, danger: true, disabled: busy, onClick: () => disconnect(identity) },
    ],
  ),
];

type Way = { slug: string; name: string };

function ConnectMenu({ ways, onChoose }: { ways: Way[]; onChoose: (way: Way) => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="sm" leftSection={<IconPlus size={16} aria-hidden />}>
          {t('Connect an account')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {ways.map((way) => (
          <Menu.Item key={way.slug} onClick={() => onChoose(way)}>
            {way.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Hidden if no identity provider is configured and no account is linked. */
export function LinkedAccounts() {
  const query = useQuery(identitiesQuery);
  const ways = useQuery(waysQuery).data?.providers ?? [];
  const [connecting, setConnecting] = useState<Way | null>(null);
  const disconnect = useAct({
    mutationFn: ({ id }: Identity) => del('/api/user/identities/{id}', { path: { id } }),
    onSuccess: () => notifySuccess(t('Account disconnected')),
    onError: notifyError,
    onSettled: reloadIdentities,
  });
  const identities = query.data?.identities;
  if (ways.length === 0 && !identities?.length && !query.error) return null;
  return (
    <Section
      title={t('Connected accounts')}
      description={t('Accounts at other services that you can sign in with.')}
      actions={<Group>{ways.length > 0 && <ConnectMenu ways={ways} onChoose={setConnecting} />}</Group>}
    >
      <DataTable
        label={t('Connected accounts')}
        columns={columns(disconnect.mutate, disconnect.isPending)}
        rows={identities}
        rowKey={({ id }) => id}
        query={query}
        empty={{ title: t('No connected accounts') }}
      />
      {connecting && <ConnectAccount provider={connecting} onClose={() => setConnecting(null)} />}
    </Section>
  );
}
