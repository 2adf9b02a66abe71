import { Button, Group, NumberInput, Select, TextInput } from '@mantine/core';
import { auditEvents } from './audit-events.ts';
import { type AuditState, auditDefaults } from './audit-state.ts';

interface AuditFiltersProps {
  state: AuditState;
  set: (changes: Partial<AuditState>) => void;
}

export function AuditFilters({ state, set }: AuditFiltersProps) {
  const change = (changes: Partial<AuditState>) => set({ ...changes, page: '1' });
  const filtered = Object.entries(auditDefaults).some(
    ([name, value]) => name !== 'page' && state[name as keyof AuditState] !== value,
  );
  const id = (name: 'application' | 'user', label: string) => (
    <NumberInput
      label={label}
      placeholder="Any"
      value={state[name]}
      onChange={(value) => change({ [name]: String(value) })}
      min={1}
      allowDecimal={false}
      allowNegative={false}
      hideControls
      w={{ base: '47%', xs: 120 }}
    />
  );
  const date = (name: 'from' | 'to', label: string) => (
    <TextInput
      type="date"
      label={label}
      value={state[name]}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
      w={{ base: '47%', xs: 150 }}
    />
  );
  return (
    <Group mb="md" gap="sm" align="flex-end" role="search" aria-label="Filter the audit log">
      <Select
        label="Event"
        placeholder="All events"
        data={Object.entries(auditEvents).map(([value, { label }]) => ({ value, label }))}
        value={state.event || null}
        onChange={(event) => change({ event: event ?? '' })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'All events' }}
        w={{ base: '100%', xs: 220 }}
      />
      {id('application', 'Application id')}
      {id('user', 'User id')}
      {date('from', 'From')}
      {date('to', 'To')}
      {filtered && (
        <Button variant="subtle" onClick={() => set(auditDefaults)}>
          Clear
        </Button>
      )}
    </Group>
  );
}
