import { Button, Checkbox, Stack } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, get } from '../../api.ts';
import { AppIdentity } from '../../components/app-identity.tsx';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import type { Column } from '../../components/data-rows.tsx';
import { actsColumn, DataTable } from '../../components/data-table.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { ScopeBadges } from '../../components/scopes.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { usePage } from '../../use-url-state.ts';
import type { Consent } from './consent.ts';
import { LimitForm } from './limit-form.tsx';

const queryKey = ['consents'];
const pageSize = 20;

/** How much of its limit the application has spent. */
function Spent({ consent, change }: { consent: Consent; change: (consent: Consent) => void }) {
  const { app_name, spending_limit, spending_window, spent } = consent;
  if (spending_limit === undefined || spent === undefined) return '–';
  const amounts = { spent: formatQuota(spent), limit: formatQuota(spending_limit) };
  const text =
    spending_window === 'month' ? t('{spent} of {limit} per month', amounts) : t('{spent} of {limit}', amounts);
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      aria-label={t('{text}. Change the spending limit of {appName}', { text, appName: app_name })}
      onClick={() => change(consent)}
    >
      {text}
    </Button>
  );
}

interface Acts {
  revoke: (consent: Consent) => void;
  change: (consent: Consent) => void;
}

const columns = ({ revoke, change }: Acts): Column<Consent>[] => [
  {
    key: 'app',
    header: t('Application'),
    cell: (consent) => (
      <AppIdentity
        name={consent.app_name}
        logoUrl={consent.app_logo_url}
        homepageUrl={consent.app_homepage_url}
        host={consent.app_host}
        verified={consent.app_is_verified}
      />
    ),
  },
  { key: 'scopes', header: t('Access to'), wrap: true, cell: ({ scopes }) => <ScopeBadges scopes={scopes} /> },
  { key: 'spent', header: t('Spent'), cell: (consent) => <Spent consent={consent} change={change} /> },
  { key: 'since', header: t('Since'), cell: ({ created_at }) => <TimeAgo at={created_at} /> },
  { key: 'changed', header: t('Last authorized'), cell: ({ updated_at }) => <TimeAgo at={updated_at} /> },
  {
    ...actsColumn(),
    cell: (consent) => (
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={t('Revoke access for {appName}', { appName: consent.app_name })}
        onClick={() => revoke(consent)}
      >
        {t('Revoke')}
      </Button>
    ),
  },
];

export function AuthorizedAppsPage() {
  const [page, setPage] = usePage();
  const [revoking, setRevoking] = useState<Consent | null>(null);
  const [keepsKeys, setKeepsKeys] = useState(false);
  const [changing, setChanging] = useState<Consent | null>(null);
  const query = useQuery({
    queryKey: [...queryKey, page],
    queryFn: ({ signal }) => get('/api/oauth2/consents', { query: { page, page_size: pageSize }, signal }),
    placeholderData: keepPreviousData,
  });
  const revoke = (consent: Consent) => {
    setKeepsKeys(false);
    setRevoking(consent);
  };
  return (
    <>
      <PageHeader
        title={t('Authorized apps')}
        description={t('Applications that you have allowed to act for you. Revoking ends their access immediately.')}
      />
      <DataTable
        label={t('Authorized apps')}
        columns={columns({ revoke, change: setChanging })}
        rows={query.data?.consents}
        rowKey={({ id }) => id}
        query={query}
        minWidth={860}
        paging={{ page, pageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={{
          icon: IconShieldCheck,
          title: t('No application has access'),
          description: t('Applications that you sign in to with your svc account appear here.'),
        }}
      />
      {changing && (
        <LimitForm
          consent={changing}
          onClose={() => setChanging(null)}
          onDone={() => queryClient.invalidateQueries({ queryKey })}
        />
      )}
      <ConfirmDelete
        opened={revoking !== null}
        onClose={() => setRevoking(null)}
        title={t('Revoke access for {appName}?', { appName: revoking?.app_name ?? '' })}
        confirmLabel={t('Revoke access')}
        onConfirm={async () => {
          if (!revoking) return;
          const { application_id, keys } = revoking;
          await del('/api/oauth2/consents/{application_id}', {
            path: { application_id },
            query: keys && !keepsKeys ? { keys: 'delete' } : {},
          });
          notifySuccess(t('{appName} no longer has access', { appName: revoking.app_name }));
          await queryClient.invalidateQueries({ queryKey });
        }}
      >
        <Stack gap="sm">
          {t('It is signed out and can no longer act on your behalf.')}
          {revoking?.keys && (
            <Checkbox
              checked={!keepsKeys}
              onChange={(event) => setKeepsKeys(!event.currentTarget.checked)}
              label={t(
                '{count, plural, one {Also delete the API key that it created for you} other {Also delete the # API keys that it created for you}}',
                { count: revoking.keys },
              )}
              description={t(
                'Anyone who has a key can keep using models at your expense. Programs that use a key stop working when it is deleted.',
              )}
            />
          )}
        </Stack>
      </ConfirmDelete>
    </>
  );
}
