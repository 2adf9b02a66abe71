import { Stack } from '@mantine/core';
import { IconApps, IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { calledOf } from '../../account-name.ts';
import { get, type Result } from '../../api.ts';
import { AppIdentity, ApplicationStatus } from '../../components/app-identity.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { AnchorLink } from '../../components/link.tsx';
import { Section } from '../../components/section.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { t } from '../../language/words.ts';
import type { PartProps } from './part-props.ts';

type Application = Result<'/api/oauth2/admin/applications', 'get'>['applications'][number];
type Consent = Result<'/api/oauth2/admin/consents', 'get'>['consents'][number];

const owned: Column<Application>[] = [
  {
    key: 'app',
    header: t('Application'),
    cell: ({ name, logo_url, homepage_url, is_verified }) => (
      <AppIdentity name={name} logoUrl={logo_url} homepageUrl={homepage_url} verified={is_verified} />
    ),
  },
  {
    key: 'status',
    header: t('Status'),
    cell: ({ status, owner_disabled }) => <ApplicationStatus status={status} ownerDisabled={owner_disabled} />,
  },
  { key: 'created', header: t('Registered'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
];

const authorized: Column<Consent>[] = [
  {
    key: 'app',
    header: t('Application'),
    cell: ({ app_name, app_logo_url, app_homepage_url, app_is_verified, app_host }) => (
      <AppIdentity
        name={app_name}
        logoUrl={app_logo_url}
        homepageUrl={app_homepage_url}
        host={app_host}
        verified={app_is_verified}
      />
    ),
  },
  { key: 'scopes', header: t('Allowed##scopes'), wrap: true, cell: ({ scopes }) => scopes },
  { key: 'since', header: t('Since'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
];

/** Only the newest of each; the page of all applications lists the rest. */
const page = { page: 1, page_size: 50 };

export function PersonApplications({ person: { user } }: PartProps) {
  const applications = useQuery({
    queryKey: ['admin-users', 'applications', user.id],
    queryFn: ({ signal }) => get('/api/oauth2/admin/applications', { query: { ...page, owner_id: user.id }, signal }),
  });
  const consents = useQuery({
    queryKey: ['admin-users', 'consents', user.id],
    queryFn: ({ signal }) => get('/api/oauth2/admin/consents', { query: { ...page, user_id: user.id }, signal }),
  });
  return (
    <Stack gap="lg">
      <Section
        title={t('Registered by this user')}
        actions={
          <AnchorLink to="/admin/applications" search={{ q: calledOf(user) }} size="sm" underline="always">
            {t('View in all applications')}
          </AnchorLink>
        }
      >
        <DataTable
          label={t('Applications')}
          columns={owned}
          rows={applications.data?.applications}
          rowKey={({ id }) => id}
          query={applications}
          minWidth={480}
          empty={{ icon: IconApps, title: t('No applications') }}
        />
      </Section>
      <Section title={t('Can act for this user')}>
        <DataTable
          label={t('Authorized applications')}
          columns={authorized}
          rows={consents.data?.consents}
          rowKey={({ id }) => id}
          query={consents}
          minWidth={480}
          empty={{ icon: IconShieldCheck, title: t('No authorized applications') }}
        />
      </Section>
    </Stack>
  );
}
