import { Checkbox, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { CopyField } from '../../components/copy-field.tsx';
import { PasswordInput } from '../../components/password-input.tsx';
import { t } from '../../language/words.ts';
import type { CheckedForm } from '../../use-checked-form.ts';
import { type McpFaults, type McpFields, needsClient } from './mcp-fields.ts';
import { VouchedByField } from './vouched-by-field.tsx';

const clientHints: Partial<Record<McpFields['auth'], string>> = {
  oauth: t('Of a client registered manually with the server; if empty, this service registers itself'),
  enterprise: t('Of a client registered manually with the server; the identity provider knows it as this service'),
  client_credentials: t('Of a client registered manually with the server; shared by everyone who can use the server'),
  jwt_bearer: t('Of a client registered manually with the server, if one is required in addition to the token'),
};

/**
 * For servers whose authorization server has no dynamic client registration, and for servers that the service itself
 * signs in to.
 */
export function ClientFields({ fields, faults, set, text, bind, toggle }: CheckedForm<McpFields, McpFaults>) {
  return (
    <>
      {fields.auth === 'enterprise' && <VouchedByField {...bind('vouchedBy')} />}
      {fields.auth === 'jwt_bearer' && (
        <TextInput
          label={t('Token file')}
          description={t('In the MCP_ASSERTIONS_DIR directory; read again at every sign-in')}
          required
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          placeholder="wiki-token"
          {...text('assertionFile')}
        />
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label={t('Client ID')}
          description={clientHints[fields.auth]}
          required={needsClient(fields)}
          autoComplete="off"
          maxLength={2_000}
          {...text('clientId')}
        />
        <PasswordInput
          label={t('Client secret')}
          description={t('If the client has one; stored encrypted, never shown again')}
          placeholder={fields.hasClientSecret ? t('Stored; leave empty to keep it') : undefined}
          autoComplete="off"
          maxLength={2_000}
          disabled={fields.dropsClientSecret}
          value={fields.dropsClientSecret ? '' : fields.clientSecret}
          error={faults.clientSecret}
          onChange={(event) => set({ clientSecret: event.currentTarget.value })}
        />
      </SimpleGrid>
      {fields.hasClientSecret && fields.clientId.trim() !== '' && (
        <Checkbox
          label={t('The client no longer has a secret')}
          description={t('Deletes the stored secret; everyone who signed in must sign in again')}
          {...toggle('dropsClientSecret')}
        />
      )}
      <Textarea
        label={t('Private key')}
        description={t(
          'Authenticates the client instead of a secret; PEM or JSON Web Key, stored encrypted, never shown again',
        )}
        placeholder={fields.hasClientKey ? t('Stored; leave empty to keep it') : '-----BEGIN PRIVATE KEY-----'}
        autosize
        minRows={1}
        maxRows={6}
        autoComplete="off"
        spellCheck={false}
        maxLength={20_000}
        {...text('clientKey')}
      />
      {fields.auth === 'oauth' && fields.clientId.trim() !== '' && (
        <CopyField
          label={t('Callback address')}
          description={t('Register this as a redirect address of the client')}
          value={`${window.location.origin}/api/mcp/authorized`}
        />
      )}
    </>
  );
}
