import { queryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import { get, put } from '../../api.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { SettingRow } from '../../components/setting-row.tsx';
import { formatNumber } from '../../format.ts';
import { t } from '../../language/words.ts';
import { queryClient } from '../../session.ts';
import { useSetting } from '../../use-setting.ts';
import { dangerOf } from './dangers.ts';
import { durationOf, labelOf, type Option } from './option-groups.ts';
import { OptionInput } from './option-input.tsx';
import { helpOf, isDuration, shapeOf, shownOf } from './option-units.ts';

type Value = Option['value'];

export const optionsQuery = queryOptions({
  queryKey: ['options'],
  queryFn: ({ signal }) => get('/api/admin/options', { signal }),
});

/** Formats a value the way the input does, so that the two can be compared. */
function written(key: string, value: Value): string {
  if (typeof value === 'boolean') return value ? t('on') : t('off');
  if (typeof value !== 'number') return value === '' ? t('empty') : value;
  if (isDuration(key)) return durationOf(value);
  const shape = shapeOf(key);
  return `${shape.prefix ?? ''}${formatNumber(shownOf(shape, value))}${shape.suffix ?? ''}`;
}

/** Saves a change, after a confirmation if the value is dangerous. */
function useSave(option: Option) {
  const { save, change, chosen } = useSetting(`option ${option.key}`, {
    mutationFn: (value: Value) => put('/api/admin/options', { body: { key: option.key, value } }),
    onSuccess: (changed) =>
      queryClient.setQueryData(optionsQuery.queryKey, (options) =>
        options?.map((one) => (one.key === changed.key ? changed : one)),
      ),
  });
  const [asked, setAsked] = useState<{ value: Value; danger: string } | null>(null);
  const [turn, setTurn] = useState(0);
  const ask = (value: Value) => {
    const danger = dangerOf(option.key, value, option.value);
    if (danger === null) change(value);
    else setAsked({ value, danger });
  };
  const leave = () => {
    setAsked(null);
    setTurn(turn + 1);
  };
  const shown = typeof option.value === 'boolean' ? { ...option, value: chosen(option.value) } : option;
  return { save, ask, asked, leave, turn, shown };
}

export function OptionRow({ option }: { option: Option }) {
  const { save, ask, asked, leave, turn, shown } = useSave(option);
  const label = labelOf(option.key);
  const initial = written(option.key, option.default);
  const now = typeof option.value === 'number' && isDuration(option.key) && written(option.key, option.value);
  return (
    <>
      <SettingRow
        label={label}
        code={option.key}
        help={
          now
            ? t('{help}. Default: {initial}. Now {now}.', { help: helpOf(option), initial, now })
            : t('{help}. Default: {initial}.', { help: helpOf(option), initial })
        }
        initial={initial}
        isInitial={option.value === option.default}
        act={save}
        onReset={() => ask(option.default)}
      >
        <OptionInput option={shown} label={label} onSave={ask} turn={turn} />
      </SettingRow>
      <ConfirmDelete
        opened={asked !== null}
        onClose={leave}
        title={asked ? t('{label}: {value}?', { label, value: written(option.key, asked.value) }) : label}
        confirmLabel={t('Save anyway')}
        onConfirm={async () => {
          if (asked) await save.mutateAsync(asked.value);
        }}
      >
        {asked?.danger}
      </ConfirmDelete>
    </>
  );
}
