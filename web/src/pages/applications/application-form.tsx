import { Button, Checkbox, Group, Input, Radio, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState } from '../../components/error-state.tsx';
import { scopeWords } from '../../components/scopes.tsx';
import { t } from '../../language/words.ts';
import { type CheckedForm, useCheckedForm } from '../../use-checked-form.ts';
import { type ApplicationFaults, type ApplicationFields, type AppType, faultsOf } from './application-fields.ts';
import { discoveryQuery } from './application-queries.ts';
import { ClientProofFields } from './client-proof.tsx';
import { ConsentPreview } from './consent-preview.tsx';
import { OpenidSettings } from './openid-settings.tsx';
import { RedirectUris } from './redirect-uris.tsx';

type FieldsProps = CheckedForm<ApplicationFields, ApplicationFaults>;

const types: { value: AppType; label: string; detail: string }[] = [
  {
    value: 'confidential',
    label: t('Confidential'),
    detail: t('Runs on a server that can keep a secret or a key.'),
  },
  {
    value: 'public',
    label: t('Public'),
    detail: t('Runs in the browser, on a phone or in a terminal. Has no secret and must use PKCE.'),
  },
];

function TypeField({ fields, set }: FieldsProps) {
  return (
    <Radio.Group
      label={t('Type')}
      value={fields.app_type}
      onChange={(value) => set({ app_type: value === 'public' ? 'public' : 'confidential' })}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt={6}>
        {types.map(({ value, label, detail }) => (
          <Radio.Card key={value} value={value} p="sm" aria-label={t('{label}. {detail}', { label, detail })}>
            <Group wrap="nowrap" align="flex-start" gap="sm">
              <Radio.Indicator mt={2} />
              <div>
                <Text size="sm" fw={600}>
                  {label}
                </Text>
                <Text size="sm" c="dimmed">
                  {detail}
                </Text>
              </div>
            </Group>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}

function ScopesField({ fields, set }: FieldsProps) {
  const { data: discovery } = useQuery(discoveryQuery);
  // Until it is known what the operator allows: what every service has.
  const isOffered = (name: string) => discovery?.scopes_supported.includes(name) ?? name !== 'models:use';
  const offered = Object.entries(scopeWords).filter(([name]) => isOffered(name) || fields.scopes.includes(name));
  return (
    <Checkbox.Group
      label={t('Scopes')}
      description={t(
        'All scopes the application may request. Users see each one before they agree, so choose only what you need.',
      )}
      value={fields.scopes}
      onChange={(scopes) => set({ scopes })}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt="xs">
        {offered.map(([name, { title, detail }]) => (
          <Checkbox
            key={name}
            value={name}
            label={
              <>
                {title}{' '}
                <Text span size="xs" c="dimmed" ff="monospace">
                  {name}
                </Text>
              </>
            }
            description={detail}
            {...(name === 'openid' && { checked: true, disabled: true })}
          />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}

function IdentityFields({ text }: FieldsProps) {
  return (
    <>
      <TextInput
        label={t('Name')}
        description={t('Shown to users when they are asked for access')}
        required
        maxLength={128}
        {...text('name')}
      />
      <Textarea
        label={t('Description')}
        description={t('What the application does, in one or two sentences')}
        autosize
        minRows={2}
        maxRows={6}
        {...text('description')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput type="url" label={t('Homepage')} placeholder="https://" {...text('homepage_url')} />
        <TextInput type="url" label={t('Logo')} placeholder="https://" {...text('logo_url')} />
      </SimpleGrid>
      <TextInput
        type="url"
        label={t('Webhook address')}
        description={t('Optional. Notified when a user grants or revokes access; every call is signed.')}
        placeholder="https://"
        {...text('webhook_url')}
      />
    </>
  );
}

interface ApplicationFormProps {
  initial: ApplicationFields;
  submitLabel: string;
  onSubmit: (fields: ApplicationFields) => Promise<unknown>;
  /** Rendered above the submit button, depending on the input. */
  note?: (fields: ApplicationFields) => ReactNode;
  cancel?: ReactNode;
  /** Whether users would see the application as verified. */
  verified?: (fields: ApplicationFields) => boolean;
}

export function ApplicationForm({ initial, submitLabel, onSubmit, note, cancel, verified }: ApplicationFormProps) {
  const form = useCheckedForm(initial, faultsOf, onSubmit);
  const { fields, faults, set, save, submit } = form;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <IdentityFields {...form} />
        <TypeField {...form} />
        {fields.openid && fields.app_type === 'confidential' && (
          <ClientProofFields value={fields.openid} faults={faults} onChange={(openid) => set({ openid })} />
        )}
        <RedirectUris
          value={fields.redirect_uris}
          onChange={(redirect_uris) => set({ redirect_uris })}
          faults={faults.redirect_uris}
        />
        <ScopesField {...form} />
        <OpenidSettings value={fields.openid} onChange={(openid) => set({ openid })} />
        {note?.(fields)}
        {save.error && <ErrorState error={save.error} title={t('The application was not saved')} />}
        {Object.keys(faults).length > 0 && (
          <Input.Error role="alert">{t('Some fields need to be corrected.')}</Input.Error>
        )}
        <Group>
          <Button type="submit" loading={save.isPending}>
            {submitLabel}
          </Button>
          <ConsentPreview fields={fields} verified={verified?.(fields) ?? false} />
          {cancel}
        </Group>
      </Stack>
    </form>
  );
}
