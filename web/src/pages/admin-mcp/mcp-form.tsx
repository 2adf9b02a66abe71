import { Checkbox, Group, NumberInput, Select, SimpleGrid, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { FormFoot } from '../../components/form-foot.tsx';
import { t } from '../../language/words.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import { ClientFields } from './client-fields.tsx';
import {
  audiences,
  authKinds,
  faultsOf,
  isMoved,
  type McpFields,
  offerings,
  ownAuthKinds,
  signIns,
} from './mcp-fields.ts';

interface McpFormProps {
  initial: McpFields;
  /** Names of the stored headers; absent for a new server. */
  stored?: string[];
  /** The server belongs to a user, who alone may use it, or to an organisation, whose members may all use it. */
  own?: boolean;
  organisationId?: number | undefined;
  submitLabel: string;
  onCancel: () => void;
  onSubmit: (fields: McpFields) => Promise<unknown>;
}

const hintOf = (stored: string[] | undefined, moved: boolean): string => {
  if (!stored?.length)
    return t('One per line, for example Authorization: Bearer …; stored encrypted, never shown again');
  return moved
    ? t('The address has changed: enter the headers again')
    : t('Stored: {names}. Leave empty to keep them', { names: stored.join(', ') });
};

export function McpForm({ initial, stored, own = false, organisationId, ...form }: McpFormProps) {
  const { submitLabel, onCancel, onSubmit } = form;
  const before = stored?.length ? initial : undefined;
  const check = (given: McpFields) => faultsOf(given, before, initial);
  const checked = useCheckedForm(initial, check, onSubmit);
  const { fields, set, save, submit, bind, text } = checked;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t('Name')}
            required
            maxLength={24}
            placeholder="files"
            data-autofocus={stored === undefined || undefined}
            description={
              organisationId === undefined
                ? t('Prefix of its tool names; cannot be changed later')
                : t('Prefix of its tool names, followed by _{id}; cannot be changed later', { id: organisationId })
            }
            disabled={stored !== undefined}
            {...text('name')}
          />
          <TextInput
            label={t('Address')}
            type="url"
            required
            placeholder="https://mcp.example.com/mcp"
            data-autofocus={stored !== undefined || undefined}
            description={t('Address of its Streamable HTTP endpoint')}
            {...text('url')}
          />
          {!own && (
            <Select
              label={t('Who can use it')}
              data={audiences}
              allowDeselect={false}
              value={fields.audience}
              onChange={(audience) => set({ audience: audience ?? 'administrators' })}
            />
          )}
          <Select
            label={t('Authentication')}
            data={own ? ownAuthKinds : authKinds}
            allowDeselect={false}
            value={fields.auth}
            onChange={(auth) => set({ auth: auth ?? 'headers' })}
          />
          {organisationId !== undefined && fields.auth === 'oauth' && (
            <Select
              label={t('Who signs in')}
              description={t('One sign-in for everyone also covers team keys and members who have not signed in')}
              data={signIns}
              allowDeselect={false}
              value={fields.signIn}
              onChange={(signIn) => set({ signIn: signIn ?? 'each' })}
            />
          )}
          <NumberInput label={t('Call timeout')} suffix={t(' s')} min={1} max={600} {...bind('timeoutSeconds')} />
          <NumberInput
            label={t('Calls per minute')}
            description={
              own && organisationId === undefined
                ? t('All its tools combined; 0 for no limit')
                : t('All its tools and all users combined; 0 for no limit')
            }
            min={0}
            clampBehavior="none"
            allowDecimal={false}
            {...bind('callsPerMinute')}
          />
        </SimpleGrid>
        {!own && fields.audience === 'users' && (
          <TagsInput
            label={t('User IDs')}
            description={t('Shown on the Users page')}
            {...bind('userIds')}
            splitChars={[',', ' ']}
          />
        )}
        {fields.auth !== 'headers' && <ClientFields {...checked} />}
        <Textarea
          label={t('Headers')}
          description={hintOf(stored, before !== undefined && isMoved(fields, before))}
          autosize
          minRows={2}
          autoComplete="off"
          spellCheck={false}
          {...text('headers')}
        />
        <Checkbox.Group
          label={t('Expose in addition to tools')}
          description={t('For programs that connect to the server through this service; models see only its tools')}
          value={fields.offers}
          onChange={(chosen) => set({ offers: chosen as McpFields['offers'] })}
        >
          <Group gap="lg" mt="xs">
            {offerings.map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </Group>
        </Checkbox.Group>
        <FormFoot act={save} failure={t('The server was not saved')} submitLabel={submitLabel} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
