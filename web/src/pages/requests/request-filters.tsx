import { Group, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { calledOf } from '../../account-name.ts';
import { get } from '../../api.ts';
import { DayInput } from '../../components/day-input.tsx';
import { ModelNameInput } from '../../components/model-picker.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { t } from '../../language/words.ts';
import { isAdmin, keysQuery, useUser } from '../../session.ts';
import { useTypedFilter } from '../../use-typed-filter.ts';
import type { RequestsState } from './requests-query.ts';

interface FilterProps {
  state: RequestsState;
  set: (changes: Partial<RequestsState>) => void;
}

const statuses = [
  { value: 'answered', label: t('Answered') },
  { value: 'incomplete', label: t('Partially answered') },
  { value: 'failed', label: t('Failed') },
  { value: '400', label: t('400: invalid request') },
  { value: '403', label: t('403: not allowed') },
  { value: '404', label: t('404: model not found') },
  { value: '429', label: t('429: too many requests') },
  { value: '502', label: t('502: provider error') },
  { value: '503', label: t('503: no provider available') },
];

/** Adds the value from the URL, which may not be among the options. */
const including = (options: { value: string; label: string }[], value: string, label: string) =>
  value === '' || options.some((option) => option.value === value) ? options : [...options, { value, label }];

/** Filters by user: everybody, the current user, or one found by name. */
function UserFilter({ state, set }: FilterProps) {
  const [typed, setTyped] = useState('');
  const [asked] = useDebouncedValue(typed, 300);
  const found = useQuery({
    queryKey: ['users', 'found', asked],
    queryFn: ({ signal }) => get('/api/admin/users', { query: { q: asked, page_size: 20 }, signal }),
    enabled: asked !== '',
  });
  const { data: chosen } = useQuery({
    queryKey: ['users', 'chosen', state.user],
    queryFn: ({ signal }) => get('/api/admin/users', { query: { ids: state.user }, signal }),
    enabled: /^\d{1,15}$/.test(state.user),
  });
  const users = found.data?.users.map((user) => ({ value: String(user.id), label: calledOf(user) })) ?? [];
  const options = including(
    [{ value: 'me', label: t('My own') }, ...users],
    state.user,
    chosen?.users[0] ? calledOf(chosen.users[0]) : t('User {id}', { id: state.user }),
  );
  return (
    <Select
      label={t('User')}
      placeholder={t('Everybody')}
      data={options}
      value={state.user || null}
      onChange={(user) => set({ user: user ?? '', key: '', cursor: '' })}
      onSearchChange={setTyped}
      // The service has already filtered the options.
      filter={({ options: all }) => all}
      nothingFoundMessage={found.isFetching ? t('Searching…') : t('No matching users')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('Everybody') }}
      w={{ base: '100%', xs: 170 }}
    />
  );
}

/** Accepts any name, because failed requests include those for models that do not exist. */
function ModelFilter({ state: { model }, set }: FilterProps) {
  const apply = (name: string) => set({ model: name, cursor: '' });
  const { text, change, events } = useTypedFilter({ value: model, apply });
  return (
    <ModelNameInput
      {...events}
      label={t('Model')}
      placeholder={t('All models')}
      maxLength={256}
      value={text}
      onChange={(name) => change(name)}
      clearable
      clearButtonProps={{ 'aria-label': t('All models') }}
      w={{ base: '100%', xs: 220 }}
    />
  );
}

function KeyFilter({ state, set }: FilterProps) {
  const keys = useQuery(keysQuery);
  const own = keys.data?.map(({ id, name }) => ({ value: String(id), label: name })) ?? [];
  return (
    <Select
      label={t('Key')}
      placeholder={t('All keys')}
      data={including(own, state.key, t('Key {id}', { id: state.key }))}
      value={state.key || null}
      onChange={(key) => set({ key: key ?? '', cursor: '' })}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('All keys') }}
      w={{ base: '100%', xs: 170 }}
    />
  );
}

export function RequestFilters({ state, set }: FilterProps) {
  const admin = isAdmin(useUser());
  return (
    <Group
      mb="md"
      gap="sm"
      align="flex-end"
      role="search"
      aria-label={t('Filter requests')}
      className={admin ? 'svc-filters' : 'svc-filters svc-filters-odd'}
    >
      <Select
        label={t('Status')}
        placeholder={t('Any status')}
        data={including(statuses, state.status, state.status)}
        value={state.status || null}
        onChange={(status) => set({ status: status ?? '', cursor: '' })}
        clearable
        clearButtonProps={{ 'aria-label': t('Any status') }}
        w={{ base: '100%', xs: 190 }}
      />
      <ModelFilter state={state} set={set} />
      {admin && <UserFilter state={state} set={set} />}
      {admin && state.user !== 'me' ? (
        <SearchInput
          label={t('Key')}
          labelled
          placeholder={t('Key number')}
          value={state.key}
          onChange={(key) => set({ key, cursor: '' })}
          width={150}
        />
      ) : (
        <KeyFilter state={state} set={set} />
      )}
      <Group gap="sm" w={{ base: '100%', xs: 'auto' }}>
        <DayInput
          label={t('First day')}
          value={state.from}
          max={state.to || undefined}
          onChange={(from) => set({ from, cursor: '' })}
          flex="1 1 8.5rem"
        />
        <DayInput
          label={t('Last day')}
          value={state.to}
          min={state.from || undefined}
          onChange={(to) => set({ to, cursor: '' })}
          flex="1 1 8.5rem"
        />
      </Group>
    </Group>
  );
}
