import { Checkbox, PasswordInput, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { CopyField } from '../../components/copy-field.tsx';
import { t } from '../../language/words.ts';
import { type McpFaults, type McpFields, needsClient } from './mcp-fields.ts';
import { VouchedByField } from './vouched-by-field.tsx';

const clientHints: Partial<Record<McpFields['auth'], string>> = {
  oauth: t('Of a client registered there by hand; empty: the service registers itself'),
  enterprise: t('Of a client registered there by hand, which the provider knows to be this service'),
  client_credentials: t('Of a client registered there by hand, which all who may use the server share'),
  jwt_bearer: t('Of a client registered there by hand, if one is wanted besides the token'),
};

interface ClientFieldsProps {
  fields: McpFields;
  faults: McpFaults;
  set: (change: Partial<McpFields>) => void;
}

/**
 * For servers whose authorization server has no dynamic client registration, and for servers that the service itself
 * signs in to.
 */
export function ClientFields({ fields, faults, set }: ClientFieldsProps) {
  return (
    <>
      {fields.auth === 'enterprise' && (
        <VouchedByField
          value={fields.vouchedBy}
          error={faults.vouchedBy}
          onChange={(vouchedBy) => set({ vouchedBy })}
        />
      )}
      {fields.auth === 'jwt_bearer' && (
        <TextInput
          label={t('File of the token')}
          description={t('In the directory that MCP_ASSERTIONS_DIR names; read anew whenever the service signs in')}
          required
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          placeholder="wiki-token"
          value={fields.assertionFile}
          error={faults.assertionFile}
          onChange={(event) => set({ assertionFile: event.currentTarget.value })}
        />
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label={t('Client ID')}
          description={clientHints[fields.auth]}
          required={needsClient(fields)}
          autoComplete="off"
          maxLength={2_000}
          value={fields.clientId}
          error={faults.clientId}
          onChange={(event) => set({ clientId: event.currentTarget.value })}
        />
        <PasswordInput
          label={t('Client secret')}
          description={t('If the client has one; stored encrypted, never shown again')}
          placeholder={fields.hasClientSecret ? t('Stored; empty keeps it') : undefined}
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
          label={t('The client has no secret any more')}
          description={t('The stored one is forgotten, and whoever signed in does so again')}
          checked={fields.dropsClientSecret}
          onChange={(event) => set({ dropsClientSecret: event.currentTarget.checked })}
        />
      )}
      <Textarea
        label={t('Private key')}
        description={t(
          'In place of a secret: PEM or JSON Web Key, signs who the client is; stored encrypted, never shown again',
        )}
        placeholder={fields.hasClientKey ? t('Stored; empty keeps it') : '-----BEGIN PRIVATE KEY-----'}
        autosize
        minRows={1}
        maxRows={6}
        autoComplete="off"
        spellCheck={false}
        maxLength={20_000}
        value={fields.clientKey}
        error={faults.clientKey}
        onChange={(event) => set({ clientKey: event.currentTarget.value })}
      />
      {fields.auth === 'oauth' && fields.clientId.trim() !== '' && (
        <CopyField
          label={t('Callback address')}
          description={t('Register it there as a redirect address of the client')}
          value={`${window.location.origin}/api/mcp/authorized`}
        />
      )}
    </>
  );
}
