import { Badge, Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { put } from '../../api.ts';
import { changedFields } from '../../changed-fields.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { Section } from '../../components/section.tsx';
import { t } from '../../language/words.ts';
import { queryClient, selfQuery, type User, useUser } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { VerifyAddress } from './verify-address.tsx';

const profileOf = ({ display_name, email, avatar_url }: User) => ({ display_name, email, avatar_url });
type Profile = ReturnType<typeof profileOf>;

export function ProfileForm() {
  const user = useUser();
  const [typed, setTyped] = useState<Partial<Profile>>({});
  // Fields that were not typed in follow the account, which may change in another tab.
  const fields = { ...profileOf(user), ...typed };
  // Send only changed fields: changing the email resets its verification, and an unset name must not be sent as an
  // empty string.
  const changes = changedFields(profileOf(user), fields);
  const save = useAct({
    mutationFn: () => put('/api/user/self', { body: changes }),
    onSuccess: (saved) => {
      queryClient.setQueryData(selfQuery.queryKey, saved);
      setTyped({});
      notifySuccess(t('Profile saved'));
    },
  });
  const input = (name: keyof typeof fields) => ({
    name,
    value: fields[name],
    onChange: (event: FormEvent<HTMLInputElement>) => setTyped({ ...typed, [name]: event.currentTarget.value }),
  });
  const verified = user.email && fields.email === user.email && (
    <Badge color={user.email_verified ? 'teal' : 'gray'} variant="light" size="sm">
      {user.email_verified ? t('Verified') : t('Not verified')}
    </Badge>
  );
  return (
    <Section title={t('Profile')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput label={t('Username')} value={user.username} readOnly variant="filled" />
            <TextInput label={t('Display name')} autoComplete="name" maxLength={64} {...input('display_name')} />
            <TextInput
              label={t('Email')}
              type="email"
              autoComplete="email"
              rightSection={verified}
              rightSectionWidth={verified ? 112 : undefined}
              {...input('email')}
            />
            <TextInput label={t('Picture address')} type="url" placeholder="https://" {...input('avatar_url')} />
          </SimpleGrid>
          {save.error && <ErrorState error={save.error} title={t('The profile was not saved')} />}
          <Group>
            <Button type="submit" loading={save.isPending} disabled={Object.keys(changes).length === 0}>
              {t('Save')}
            </Button>
          </Group>
        </Stack>
      </form>
      {user.email && !user.email_verified && <VerifyAddress email={user.email} />}
    </Section>
  );
}
