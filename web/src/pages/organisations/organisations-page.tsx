import { Badge } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { AddButton } from '../../components/add-button.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { Money } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PendingOrganisations } from '../../components/pending-organisations.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { rich, t } from '../../language/words.ts';
import { type Organisation, organisationsQuery, reloadOrganisations } from '../../organisations.ts';
import { useUser } from '../../session.ts';
import { NewOrganisation } from './organisation-form.tsx';
import { balanceWords, roleWords } from './organisation-words.ts';

const columns: Column<Organisation>[] = [
  {
    key: 'name',
    header: t('Name'),
    cell: ({ id, name }) => (
      <AnchorLink to="/organisations/$id" params={{ id: String(id) }} size="sm" fw={600} title={name}>
        <bdi>{name}</bdi>
      </AnchorLink>
    ),
  },
  {
    key: 'role',
    header: t('Your role'),
    cell: ({ role }) => <Badge color={roleWords[role].color}>{roleWords[role].label}</Badge>,
  },
  { key: 'pays', header: t('Paid by'), cell: ({ balance }) => balanceWords[balance].label },
  {
    key: 'balance',
    header: t('Balance'),
    align: 'right',
    cell: ({ quota }) => (quota === null ? '–' : <Money quota={quota} />),
  },
  { key: 'zone', header: t('Time zone'), cell: ({ time_zone }) => time_zone },
  { key: 'made', header: t('Created'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
];

export function OrganisationsPage() {
  const query = useQuery(organisationsQuery);
  const { email_verified } = useUser();
  const navigate = useNavigate();
  const [making, setMaking] = useState(false);
  const button = <AddButton onClick={() => setMaking(true)}>{t('New organisation')}</AddButton>;
  return (
    <>
      <PageHeader
        title={t('Organisations')}
        description={t('Teams, roles, shared keys that stay when their creator leaves, and enforced budgets.')}
        actions={button}
      />
      <PendingOrganisations />
      <DataTable
        label={t('Your organisations')}
        columns={columns}
        rows={query.data}
        rowKey={({ id }) => id}
        query={query}
        minWidth={720}
        empty={{
          icon: IconBuilding,
          title: t('You are not in any organisation'),
          description: (
            <>
              {t('Create one for a company, a family or a class, or open an invitation link.')}
              {!email_verified && (
                <>
                  {' '}
                  {rich(
                    'If your company has added you through its directory, <link>verify your email address</link> to join.',
                    {
                      link: (text) => (
                        <AnchorLink to="/account" inherit underline="always">
                          {text}
                        </AnchorLink>
                      ),
                    },
                  )}
                </>
              )}
            </>
          ),
          action: button,
        }}
      />
      {making && (
        <NewOrganisation
          onClose={() => setMaking(false)}
          onDone={async (id) => {
            await reloadOrganisations();
            await navigate({ to: '/organisations/$id', params: { id: String(id) } });
          }}
        />
      )}
    </>
  );
}
