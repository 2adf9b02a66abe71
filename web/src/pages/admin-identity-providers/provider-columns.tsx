import { Text } from '@mantine/core';
import { IconEdit, IconPlugConnected, IconTrash } from '@tabler/icons-react';
import type { Column } from '../../components/data-rows.tsx';
import { EnabledBadge, toggleAct } from '../../components/enabled-state.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { NameCell } from '../../components/name-cell.tsx';
import { t } from '../../language/words.ts';
import type { IdentityProvider } from './identity-providers.ts';

export interface ProviderActs {
  test: (provider: IdentityProvider) => void;
  edit: (provider: IdentityProvider) => void;
  toggle: (provider: IdentityProvider) => void;
  remove: (provider: IdentityProvider) => void;
}

function whoOf({ email_domains: domains, allow_sign_up }: IdentityProvider): string {
  const who = domains.length === 0 ? t('Everybody') : domains.join(', ');
  return allow_sign_up ? who : t('{who} with an existing account', { who });
}

export const providerColumns = (acts: ProviderActs): Column<IdentityProvider>[] => [
  {
    key: 'name',
    header: t('Provider'),
    cell: ({ name, issuer }) => <NameCell name={name} under={issuer} maw={280} truncate title={issuer} />,
  },
  {
    key: 'status',
    header: t('Status'),
    cell: ({ enabled }) => <EnabledBadge on={enabled} />,
  },
  { key: 'who', header: t('Who can sign in'), cell: (provider) => <Text size="sm">{whoOf(provider)}</Text> },
  menuColumn(
    ({ name }) => name,
    (provider) => [
      { label: t('Test'), icon: IconPlugConnected, onClick: () => acts.test(provider) },
      { label: t('Edit'), icon: IconEdit, onClick: () => acts.edit(provider) },
      toggleAct(provider.enabled, () => acts.toggle(provider)),
      { label: t('Delete'), icon: IconTrash, danger: true, onClick: () => acts.remove(provider) },
    ],
  ),
];
