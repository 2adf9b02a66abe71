import { Badge, Code, Group } from '@mantine/core';
import { IconApps, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { AppIdentity, ApplicationStatus } from '../../components/app-identity.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { actsColumn, DataTable } from '../../components/data-table.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { t } from '../../language/words.ts';
import { usePage } from '../../use-url-state.ts';
import type { Application } from './application-fields.ts';
import { applicationsQuery, pageSize } from './application-queries.ts';

const columns: Column<Application>[] = [
  {
    key: 'app',
    header: t('Application'),
    cell: ({ name, logo_url, homepage_url, is_verified }) => (
      <AppIdentity name={name} logoUrl={logo_url} homepageUrl={homepage_url} verified={is_verified} />
    ),
  },
  {
    key: 'client',
    header: t('Client ID'),
    cell: ({ client_id, name }) => (
      <Group gap={4} wrap="nowrap">
        <Code>{`${client_id.slice(0, 12)}…${client_id.slice(-4)}`}</Code>
        <CopyButton value={client_id} label={t('Copy client ID of {name}', { name })} />
      </Group>
    ),
  },
  {
    key: 'type',
    header: t('Type'),
    cell: ({ app_type }) => <Badge color="gray">{app_type === 'public' ? t('Public') : t('Confidential')}</Badge>,
  },
  { key: 'status', header: t('Status'), cell: ({ status }) => <ApplicationStatus status={status} /> },
  { key: 'created', header: t('Registered'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  {
    ...actsColumn(),
    cell: ({ id, name }) => (
      <ButtonLink
        to="/applications/$id"
        params={{ id: String(id) }}
        size="compact-sm"
        variant="default"
        aria-label={t('Manage {name}', { name })}
      >
        {t('Manage')}
      </ButtonLink>
    ),
  },
];

export function ApplicationsPage() {
  const [page, setPage] = usePage();
  const query = useQuery(applicationsQuery(page));
  const button = (
    <ButtonLink to="/applications/new" leftSection={<IconPlus size={16} aria-hidden />}>
      {t('New application')}
    </ButtonLink>
  );
  return (
    <>
      <PageHeader
        title={t('Applications')}
        description={t('OAuth applications you own. People sign in to them with their account on this service.')}
        actions={button}
      />
      <DataTable
        label={t('Your applications')}
        columns={columns}
        rows={query.data?.applications}
        rowKey={({ id }) => id}
        query={query}
        minWidth={820}
        paging={{ page, pageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={{
          icon: IconApps,
          title: t('No applications yet'),
          description: t('Register an application to get a client ID and let people sign in to it with OAuth 2.0.'),
          action: button,
        }}
      />
    </>
  );
}
