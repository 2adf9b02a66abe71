import { MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { t } from '../../language/words.ts';
import { toolsQuery } from './runs-queries.ts';

/** Tools of connected servers that the run may use; hidden if no server is connected. */
export function ToolChoice({ value, onChange }: { value: string[]; onChange: (names: string[]) => void }) {
  const { data } = useQuery(toolsQuery);
  const names = data?.tools.map(({ name }) => name) ?? [];
  if (names.length === 0) return null;
  return (
    <MultiSelect
      label={t('Tools')}
      description={t('Tools of connected servers that the tasks can call')}
      placeholder={value.length === 0 ? t('None') : undefined}
      data={names}
      value={value}
      onChange={onChange}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('No tools') }}
    />
  );
}
