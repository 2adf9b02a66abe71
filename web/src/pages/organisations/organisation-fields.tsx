import { Radio, Select, Stack, TextInput } from '@mantine/core';
import { t } from '../../language/words.ts';
import { balanceWords, timeZones } from './organisation-words.ts';

export interface CommonFields {
  name: string;
  time_zone: string;
  balance: string;
}

interface OrganisationFieldsProps {
  of: CommonFields;
  nameFault: string | undefined;
  /** Explains what the time zone is used for. */
  zoneNote: string;
  set: (changes: Partial<CommonFields>) => void;
}

/** The fields shared by creating and editing an organisation. */
export const OrganisationFields = ({ of: fields, nameFault, zoneNote, set }: OrganisationFieldsProps) => (
  <>
    <TextInput
      label={t('Name')}
      maxLength={64}
      required
      data-autofocus
      value={fields.name}
      onChange={(event) => set({ name: event.currentTarget.value })}
      error={nameFault}
    />
    <Select
      label={t('Time zone')}
      description={zoneNote}
      data={timeZones(fields.time_zone)}
      searchable
      limit={100}
      allowDeselect={false}
      value={fields.time_zone}
      onChange={(time_zone) => set({ time_zone: time_zone ?? fields.time_zone })}
    />
    <Radio.Group label={t('Who pays')} value={fields.balance} onChange={(balance) => set({ balance })}>
      <Stack gap="xs" mt={6}>
        {(['own', 'shared'] as const).map((value) => (
          <Radio key={value} value={value} label={balanceWords[value].label} description={balanceWords[value].detail} />
        ))}
      </Stack>
    </Radio.Group>
  </>
);
