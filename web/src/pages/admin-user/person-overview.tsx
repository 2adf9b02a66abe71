import { Alert, Badge, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { isOrganisation } from '../../account-name.ts';
import { get, put } from '../../api.ts';
import { Money } from '../../components/money.tsx';
import { notifyError, notifySuccess } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import { StoredData } from '../../components/stored-data.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatDateTime, formatNumber, formatZoned } from '../../format.ts';
import { t } from '../../language/words.ts';
import { useAct } from '../../use-act.ts';
import { TakeBack } from '../admin-users/open-invitations.tsx';
import { isDeleted, roleName } from '../admin-users/user-state.ts';
import { reloadUsers } from '../admin-users/users-queries.ts';
import { Facts } from './facts.tsx';
import type { PartProps } from './part-props.ts';

/** The email address. An administrator can verify it manually, if the user has proven it in another way. */
function Address({ person: { user, mail }, acts }: PartProps) {
  const verify = useAct({
    mutationFn: (email_verified: boolean) =>
      put('/api/admin/users/{id}', { path: { id: user.id }, body: { email_verified, email: user.email } }),
    onSuccess: ({ email_verified }) =>
      notifySuccess(email_verified ? t('The address is verified') : t('The address is no longer verified')),
    onError: notifyError,
    onSettled: reloadUsers,
  });
  if (!user.email) return t('none');
  return (
    <Group gap="xs">
      <span>{user.email}</span>
      <Badge size="sm" color={user.email_verified ? 'teal' : 'gray'}>
        {user.email_verified ? t('Verified') : t('Not verified')}
      </Badge>
      {acts.reaches(user) && (
        <Button
          size="compact-xs"
          variant="default"
          loading={verify.isPending}
          onClick={() => verify.mutate(!user.email_verified)}
        >
          {user.email_verified ? t('Remove verification') : t('Verify manually')}
        </Button>
      )}
      {acts.reaches(user) && mail && !user.email_verified && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => acts.link.mutate({ user, purpose: 'verify_email', mail: true })}
        >
          {t('Email link')}
        </Button>
      )}
    </Group>
  );
}

const linkWords = (mailed: boolean, time: string): string =>
  mailed
    ? t('The link was emailed and is valid until {time}.', { time })
    : t('The link was shared manually and is valid until {time}.', { time });

/** For an invited account that has no password or linked identity yet. */
function Awaited({ person: { user, invitation, mail }, acts }: PartProps) {
  const [taking, setTaking] = useState(false);
  return (
    <Alert
      color={invitation ? 'blue' : 'orange'}
      variant="light"
      title={invitation ? t('Invited, not joined yet') : t('Invited; the link has expired')}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {invitation
            ? linkWords(invitation.mailed, formatZoned(invitation.expires_at))
            : t('No password has been set for this account.')}
        </Text>
        {acts.reaches(user) && (
          <Group gap="xs">
            <Button size="xs" onClick={() => acts.link.mutate({ user, purpose: 'invitation' })}>
              {t('Create new link')}
            </Button>
            {mail && user.email !== '' && (
              <Button
                size="xs"
                variant="default"
                onClick={() => acts.link.mutate({ user, purpose: 'invitation', mail: true })}
              >
                {t('Email new link')}
              </Button>
            )}
            {invitation && (
              <Button size="xs" variant="default" color="red" onClick={() => setTaking(true)}>
                {t('Revoke invitation')}
              </Button>
            )}
          </Group>
        )}
      </Stack>
      {taking && <TakeBack user={user} onClose={() => setTaking(false)} />}
    </Alert>
  );
}

function WaysIn({ person, acts }: PartProps) {
  const { user, has_password, totp_since, passkeys, recovery_codes_left, identities, mail } = person;
  const factors = totp_since !== null || passkeys.length > 0;
  const reached = acts.reaches(user) && !isDeleted(user);
  const link = (mailed: boolean) => acts.link.mutate({ user, purpose: 'reset_password', mail: mailed });
  return (
    <Section
      title={t('Sign-in methods')}
      actions={
        reached && (
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={() => link(false)}>
              {t('Create password link')}
            </Button>
            {mail && user.email_verified && (
              <Button size="xs" variant="default" onClick={() => link(true)}>
                {t('Email password link')}
              </Button>
            )}
            {factors && (
              <Button size="xs" variant="default" color="red" onClick={() => acts.unlock(user)}>
                {t('Reset second factor')}
              </Button>
            )}
          </Group>
        )
      }
    >
      <Facts
        of={{
          password: [t('Password'), has_password ? t('set') : t('none')],
          factor: [
            t('Second factor'),
            <Badge key="on" color={factors ? 'teal' : 'gray'}>
              {factors ? t('On') : t('Off')}
            </Badge>,
          ],
          app: [t('Authenticator app'), totp_since === null ? t('none') : <TimeAgo key="since" at={totp_since} />],
          passkeys: [t('Passkeys'), passkeys.map(({ name }) => name).join(', ') || t('none')],
          codes: [t('Recovery codes left'), formatNumber(recovery_codes_left)],
          accounts: [
            t('Connected accounts'),
            identities.map(({ provider, label }) => `${provider} (${label})`).join(', ') || t('none'),
          ],
        }}
      />
    </Section>
  );
}

export function PersonOverview({ person, acts }: PartProps) {
  const { user, has_password, identities } = person;
  const awaited = !has_password && identities.length === 0 && !isDeleted(user);
  return (
    <Stack gap="lg">
      {awaited && <Awaited person={person} acts={acts} />}
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <StatCard label={t('Balance')} value={<Money quota={user.quota} />} />
        <StatCard label={t('Spent')} value={<Money quota={user.used_quota} />} />
        <StatCard label={t('Requests')} value={formatNumber(user.request_count)} />
      </SimpleGrid>
      <Section title={t('Account')}>
        <Facts
          of={{
            ...(!isOrganisation(user) && { username: [t('Username'), user.username] as [string, string] }),
            email: [t('Email'), <Address key="address" person={person} acts={acts} />],
            role: [t('Role'), isOrganisation(user) ? t('Organisation') : roleName(user.role)],
            group: [t('Group'), user.group],
            joined: [t('Joined'), formatDateTime(user.created_at)],
          }}
        />
      </Section>
      <WaysIn person={person} acts={acts} />
      <StoredData
        title={t('User storage')}
        description={t('Everything stored for the account counts towards one limit.')}
        of={`user-${user.id}`}
        load={(signal) => get('/api/admin/users/{id}/kept', { path: { id: user.id }, signal })}
      />
    </Stack>
  );
}
