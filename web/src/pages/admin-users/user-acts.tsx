import {
  IconCreditCard,
  IconEdit,
  IconLink,
  IconLock,
  IconLockOpen,
  IconShieldOff,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import { calledOf, isOrganisation } from '../../account-name.ts';
import { post, put } from '../../api.ts';
import { notifyToggled } from '../../components/enabled-state.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import type { RowAct } from '../../components/row-menu.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { t } from '../../language/words.ts';
import { type User, useUser } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { CreditsForm } from './credits-form.tsx';
import { DeleteUser } from './delete-user.tsx';
import { RemoveFactors } from './remove-factors.tsx';
import { UserForm } from './user-form.tsx';
import { rootRole } from './user-state.ts';
import { reloadUsers } from './users-queries.ts';

interface LinkWanted {
  user: User;
  purpose: 'reset_password' | 'verify_email' | 'invitation';
  /** Email the link to the user instead of showing it to the administrator. */
  mail?: boolean;
}

/** An administrator's actions on a user, for the list and for the user's page. */
export function useUserActs() {
  const self = useUser();
  const [open, setOpen] = useState<{ act: 'edit' | 'credit' | 'unlock' | 'remove'; user: User } | null>(null);
  const [url, setUrl] = useState<string | null>(null);
  const close = () => setOpen(null);
  const toggle = useAct(
    {
      mutationFn: ({ id, status }: User) =>
        put('/api/admin/users/{id}', { path: { id }, body: { status: status === 1 ? 2 : 1 } }),
      onSuccess: (user) => {
        const name = calledOf(user);
        notifyToggled(name, user.status === 1);
      },
      onError: notifyError,
      onSettled: reloadUsers,
    },
    ({ id }) => id,
  );
  const link = useAct(
    {
      mutationFn: ({ user: { id }, purpose, mail = false }: LinkWanted) =>
        post('/api/admin/users/{id}/links', { path: { id }, body: { purpose, mail } }),
      onSuccess: (made, { user }) => {
        setUrl(made.url);
        if (made.mailed) notifySuccess(t('Link emailed to {email}', { email: user.email }));
      },
      onError: notifyError,
      onSettled: reloadUsers,
    },
    ({ user, purpose }) => `${user.id} ${purpose}`,
  );
  /** Administrators can only act on lower roles; only root may also give credits to an equal one. */
  const reaches = (user: User): boolean => user.role < self.role;
  const actsOf = (user: User): RowAct[] => {
    const below = reaches(user);
    const opens = (act: 'edit' | 'credit' | 'unlock' | 'remove') => () => setOpen({ act, user });
    return [
      { label: t('Edit'), icon: IconEdit, disabled: !below, onClick: opens('edit') },
      {
        label: t('Credits'),
        icon: IconCreditCard,
        disabled: !below && self.role !== rootRole,
        onClick: opens('credit'),
      },
      user.status === 1
        ? { label: t('Disable'), icon: IconLock, danger: true, disabled: !below, onClick: () => toggle.mutate(user) }
        : { label: t('Enable'), icon: IconLockOpen, disabled: !below, onClick: () => toggle.mutate(user) },
      ...(isOrganisation(user)
        ? []
        : [
            {
              label: t('Create password link'),
              icon: IconLink,
              disabled: !below,
              onClick: () => link.mutate({ user, purpose: 'reset_password' }),
            },
            { label: t('Remove second factors'), icon: IconShieldOff, disabled: !below, onClick: opens('unlock') },
          ]),
      { label: t('Delete'), icon: IconTrash, danger: true, disabled: !below, onClick: opens('remove') },
    ];
  };
  const dialogs = (
    <>
      {open?.act === 'edit' && <UserForm user={open.user} onClose={close} onDone={reloadUsers} />}
      {open?.act === 'credit' && <CreditsForm user={open.user} onClose={close} onDone={reloadUsers} />}
      <SecretOnce secret={url} title={t('Link for the user')} label={t('Link')} onClose={() => setUrl(null)} />
      {open?.act === 'unlock' && <RemoveFactors user={open.user} onClose={close} />}
      {open?.act === 'remove' && <DeleteUser user={open.user} onClose={close} onDone={reloadUsers} />}
    </>
  );
  return { actsOf, reaches, link, showLink: setUrl, unlock: (user: User) => setOpen({ act: 'unlock', user }), dialogs };
}
