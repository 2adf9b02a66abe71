import { IconLogin2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post as call, del, put } from '../../api.ts';
import { changedFields } from '../../changed-fields.ts';
import { AddButton } from '../../components/add-button.tsx';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { notifyToggled } from '../../components/enabled-state.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { usePost } from '../../idempotent-post.ts';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { usePage } from '../../use-url-state.ts';
import { type IdentityProvider, providerPageSize, providersQuery, reloadProviders } from './identity-providers.ts';
import { providerColumns } from './provider-columns.tsx';
import { bodyOf, emptyProvider, fieldsOf, type ProviderFields } from './provider-fields.ts';
import { ProviderForm } from './provider-form.tsx';

type Open = { act: 'add' } | { act: 'edit' | 'remove'; provider: IdentityProvider };
const path = '/api/admin/identity-providers/{id}';

/**
 * Tests a provider right after saving, so that the administrator sees a wrong address before the first user signs in.
 */
async function tryOut({ id, name }: IdentityProvider): Promise<void> {
  const { ok, error = '' } = await call(`${path}/test`, { path: { id } });
  if (ok) notifySuccess(t('{name} is responding', { name }));
  else notifyError(new Error(t('{name} is not responding correctly: {error}', { name, error: serverText(error) })));
}

function AddProvider({ onClose }: { onClose: () => void }) {
  const post = usePost();
  const add = async (fields: ProviderFields) => {
    const { slug, kind } = fields;
    const provider = await post('/api/admin/identity-providers', { body: { slug, kind, ...bodyOf(fields) } });
    onClose();
    await reloadProviders();
    await tryOut(provider).catch(notifyError);
  };
  return (
    <Dialog opened onClose={onClose} title={t('Connect a provider')} size="lg">
      <ProviderForm initial={emptyProvider} submitLabel={t('Connect')} onCancel={onClose} onSubmit={add} />
    </Dialog>
  );
}

function EditProvider({ provider, onClose }: { provider: IdentityProvider; onClose: () => void }) {
  const [before] = useState(() => fieldsOf(provider));
  const save = async (fields: ProviderFields) => {
    const body = changedFields(bodyOf(before), bodyOf(fields));
    if (Object.keys(body).length > 0) await put(path, { path: { id: provider.id }, body });
    notifySuccess(t('Provider saved'));
    onClose();
    await reloadProviders();
  };
  return (
    <Dialog opened onClose={onClose} title={t('Edit {name}', { name: provider.name })} size="lg">
      <ProviderForm
        initial={before}
        stored={{ hasSecret: provider.has_secret }}
        submitLabel={t('Save')}
        onCancel={onClose}
        onSubmit={save}
      />
    </Dialog>
  );
}

export function AdminIdentityProvidersPage() {
  const [page, setPage] = usePage();
  const query = useQuery(providersQuery(page));
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const test = useAct({ mutationFn: tryOut, onError: notifyError }, ({ id }) => id);
  const toggle = useAct(
    {
      mutationFn: ({ id, enabled }: IdentityProvider) => put(path, { path: { id }, body: { enabled: !enabled } }),
      onSuccess: ({ name, enabled }) => notifyToggled(name, enabled),
      onError: notifyError,
      onSettled: reloadProviders,
    },
    ({ id }) => id,
  );
  const button = <AddButton onClick={() => setOpen({ act: 'add' })}>{t('Connect a provider')}</AddButton>;
  return (
    <>
      <PageHeader
        title={t('Sign-in')}
        description={t('Let users sign in with Google, Microsoft, GitHub or any OpenID Connect provider.')}
        actions={button}
      />
      <DataTable
        label={t('Identity providers')}
        columns={providerColumns({
          test: test.mutate,
          edit: (provider) => setOpen({ act: 'edit', provider }),
          toggle: toggle.mutate,
          remove: (provider) => setOpen({ act: 'remove', provider }),
        })}
        rows={query.data?.providers}
        rowKey={({ id }) => id}
        query={query}
        minWidth={640}
        paging={{ page, pageSize: providerPageSize, total: query.data?.total ?? 0, onPage: setPage }}
        empty={{
          icon: IconLogin2,
          title: t('No providers yet'),
          description: t(
            'Users sign in with a username and password. Connect a provider to let them use an account they already have.',
          ),
          action: button,
        }}
      />
      {open?.act === 'add' && <AddProvider onClose={close} />}
      {open?.act === 'edit' && <EditProvider provider={open.provider} onClose={close} />}
      <ConfirmDelete
        opened={open?.act === 'remove'}
        onClose={close}
        title={open?.act === 'remove' ? t('Delete {name}?', { name: open.provider.name }) : t('Delete')}
        confirmLabel={t('Delete provider')}
        onConfirm={async () => {
          if (open?.act === 'remove') await del(path, { path: { id: open.provider.id } });
          notifySuccess(t('Provider deleted'));
          await reloadProviders();
        }}
      >
        {t(
          'Users who sign in only through this provider and have no password can no longer sign in. Disable it instead to keep connected accounts.',
        )}
      </ConfirmDelete>
    </>
  );
}
