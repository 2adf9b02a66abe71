import { Code, Group, Select, Stack, Text } from '@mantine/core';
import {
  IconApps,
  IconEye,
  IconGauge,
  IconPlayerPause,
  IconPlayerPlay,
  IconRosetteDiscountCheck,
  IconRosetteDiscountCheckOff,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get, post, type Result } from '../../api.ts';
import { AppIdentity, ApplicationStatus, redirectUrisOf } from '../../components/app-identity.tsx';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { menuColumn } from '../../components/menu-column.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { ScopeList, splitScopes } from '../../components/scopes.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { oneOf, upTo } from '../../filter-values.ts';
import { t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { usePage, useUrlState } from '../../use-url-state.ts';
import { LimitCalls } from './limit-calls.tsx';

type Application = Result<'/api/oauth2/admin/applications', 'get'>['applications'][number];
type Action = 'verify' | 'unverify' | 'suspend' | 'activate';

const defaults = { page: '1', q: '', status: '' };
const fits = { q: upTo(200), status: oneOf(['1', '2']) };
const pageSize = 20;
const queryKey = ['admin-applications'];
const done: Record<Action, (name: string) => string> = {
  verify: (name) => t('{name} is verified', { name }),
  unverify: (name) => t('{name} is no longer verified', { name }),
  suspend: (name) => t('{name} is suspended', { name }),
  activate: (name) => t('{name} is active again', { name }),
};

/**
 * Verifying sends `updated_at`: the service rejects it if the owner has changed the application since it was loaded.
 */
const act = (action: Action, { id: app_id, updated_at }: Application) =>
  post(`/api/oauth2/admin/applications/${action}`, { body: { app_id, ...(action === 'verify' && { updated_at }) } });

interface Acts {
  show: (application: Application) => void;
  limit: (application: Application) => void;
  run: (action: Action, application: Application) => void;
}

/**
 * An application defined by a client metadata document has no owner here; verifying it means trusting the host that
 * serves the document.
 */
const documentHost = ({ source, client_id }: Application): string | undefined =>
  source === 'document' ? URL.parse(client_id)?.host : undefined;

const columns = ({ show, limit, run }: Acts): Column<Application>[] => [
  {
    key: 'app',
    header: t('Application'),
    cell: (application) => (
      <AppIdentity
        name={application.name}
        logoUrl={application.logo_url}
        homepageUrl={application.homepage_url}
        host={documentHost(application)}
        verified={application.is_verified}
      />
    ),
  },
  { key: 'owner', header: t('Owner'), cell: ({ owner_name }) => owner_name || t('No owner') },
  { key: 'type', header: t('Type'), cell: ({ app_type }) => (app_type === 'public' ? t('Public') : t('Confidential')) },
  {
    key: 'status',
    header: t('Status'),
    cell: ({ status, owner_disabled }) => <ApplicationStatus status={status} ownerDisabled={owner_disabled} />,
  },
  { key: 'created', header: t('Registered'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  menuColumn(
    ({ name }) => name,
    (application) => [
      { label: t('Details'), icon: IconEye, onClick: () => show(application) },
      { label: t('Limit calls'), icon: IconGauge, onClick: () => limit(application) },
      application.is_verified
        ? {
            label: t('Remove verification'),
            icon: IconRosetteDiscountCheckOff,
            onClick: () => run('unverify', application),
          }
        : { label: t('Verify'), icon: IconRosetteDiscountCheck, onClick: () => run('verify', application) },
      application.status === 1
        ? { label: t('Suspend'), icon: IconPlayerPause, danger: true, onClick: () => run('suspend', application) }
        : { label: t('Activate'), icon: IconPlayerPlay, onClick: () => run('activate', application) },
    ],
  ),
];

function Details({ application, onClose }: { application: Application; onClose: () => void }) {
  return (
    <Dialog opened onClose={onClose} title={application.name} size="lg">
      <Stack>
        {application.description && <Text size="sm">{application.description}</Text>}
        <CopyField label={t('Client ID')} value={application.client_id} />
        <div>
          <Text size="sm" fw={600} mb={4}>
            {t('Redirect addresses')}
          </Text>
          <Stack gap={4} align="flex-start">
            {redirectUrisOf(application).map((uri) => (
              <Code key={uri} className="svc-anywhere">
                {uri}
              </Code>
            ))}
          </Stack>
        </div>
        {application.webhook_url && <CopyField label={t('Webhook address')} value={application.webhook_url} />}
        <div>
          <Text size="sm" fw={600} mb="xs">
            {t('Can request')}
          </Text>
          <ScopeList scopes={splitScopes(application.allowed_scopes).map((name) => ({ name }))} />
        </div>
      </Stack>
    </Dialog>
  );
}

export function AdminApplicationsPage() {
  const [{ q, status }, set] = useUrlState(defaults, fits);
  const [page, setPage] = usePage();
  const [shown, setShown] = useState<Application | null>(null);
  const [limited, setLimited] = useState<Application | null>(null);
  const [suspending, setSuspending] = useState<Application | null>(null);
  const filter = { q, ...(status && { status: status as '1' | '2' }) };
  const query = useQuery({
    queryKey: [...queryKey, page, filter],
    queryFn: ({ signal }) =>
      get('/api/oauth2/admin/applications', { query: { page, page_size: pageSize, ...filter }, signal }),
    placeholderData: keepPreviousData,
  });
  const reload = () => queryClient.invalidateQueries({ queryKey });
  const change = useAct(
    {
      mutationFn: ({ action, application }: { action: Action; application: Application }) => act(action, application),
      onSuccess: (_, { action, application }) => notifySuccess(done[action](application.name)),
      onError: notifyError,
      onSettled: reload,
    },
    ({ application }) => application.id,
  );
  const run = (action: Action, application: Application) =>
    action === 'suspend' ? setSuspending(application) : change.mutate({ action, application });
  return (
    <>
      <PageHeader
        title={t('Applications')}
        description={t('All OAuth applications. Verifying an application tells users that you know who runs it.')}
      />
      <Group mb="md" gap="sm">
        <SearchInput
          label={t('Search applications')}
          placeholder={t('Name, owner or client ID')}
          value={q}
          onChange={(text) => set({ q: text, page: '1' })}
        />
        <Select
          aria-label={t('Status')}
          placeholder={t('Any status')}
          data={[
            { value: '1', label: t('Active') },
            { value: '2', label: t('Suspended') },
          ]}
          value={status || null}
          onChange={(value) => set({ status: value ?? '', page: '1' })}
          clearable
          clearButtonProps={{ 'aria-label': t('Any status') }}
          w={{ base: '100%', xs: 160 }}
        />
      </Group>
      <DataTable
        label={t('Applications')}
        columns={columns({ show: setShown, limit: setLimited, run })}
        rows={query.data?.applications}
        rowKey={({ id }) => id}
        query={query}
        minWidth={760}
        paging={{ page, pageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={{
          icon: IconApps,
          title: t('No applications'),
          description: t('No applications match, or none are registered yet.'),
        }}
      />
      {shown && <Details application={shown} onClose={() => setShown(null)} />}
      {limited && (
        <LimitCalls
          application={limited}
          onClose={() => setLimited(null)}
          onDone={async () => {
            notifySuccess(t('Call limit of {name} saved', { name: limited.name }));
            await reload();
            setLimited(null);
          }}
        />
      )}
      <ConfirmDelete
        opened={suspending !== null}
        onClose={() => setSuspending(null)}
        title={t('Suspend {name}?', { name: suspending?.name ?? '' })}
        confirmLabel={t('Suspend')}
        onConfirm={async () => {
          if (!suspending) return;
          await act('suspend', suspending);
          notifySuccess(done.suspend(suspending.name));
          await reload();
        }}
      >
        {t(
          'Its tokens stop working immediately and no one can sign in with it. After it is activated again, users must authorize it again.',
        )}
      </ConfirmDelete>
    </>
  );
}
