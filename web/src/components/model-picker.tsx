import {
  Autocomplete,
  type AutocompleteProps,
  type OptionsFilter,
  Select,
  type SelectProps,
  TagsInput,
  type TagsInputProps,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { t } from '../language/words.ts';
import { isCalled } from '../model-list.ts';
import { firstOf, grouped, type ModelOption, modelOptions } from '../model-options.ts';
import { modelsQuery, type OfferedModel } from '../models.ts';
import { ModelLine } from './model-marks.tsx';

/** Users do not scroll through more than this; typing narrows the list. */
const mostShown = 100;

const none: never[] = [];
const all = () => true;

interface Choice {
  /** Filters the offered models; default: all. */
  fits?: (model: OfferedModel) => boolean;
  /** Additional names to offer: models that are selected, or were used, but are no longer listed. */
  besides?: readonly string[];
}

/** Shared by all model pickers: grouped by owner, searchable by any part of the name, with facts to choose by. */
function useModelChoices({ fits = all, besides = none }: Choice) {
  const query = useQuery(modelsQuery);
  const models = query.data ?? none;
  const byId = useMemo(() => new Map(models.map((model) => [model.id, model])), [models]);
  const offered = useMemo(() => modelOptions(models.filter(fits)), [models, fits]);
  const listed = useMemo(() => new Set(offered.map(({ value }) => value)), [offered]);
  const others = [...new Set(besides)].filter((id) => id !== '' && !listed.has(id));
  const filter: OptionsFilter = ({ options, search }) => {
    const typed = search.trim();
    const called = ({ value }: { value: string }) => isCalled(byId.get(value) ?? { id: value, name: '' }, typed);
    return grouped(firstOf(options as ModelOption[], mostShown, called));
  };
  return {
    query,
    given: {
      data: [...offered, ...others.map((id) => ({ value: id, label: id, owner: t('Not listed') }))],
      renderOption: ({ option }: { option: { value: string } }) => (
        <ModelLine id={option.value} model={byId.get(option.value)} />
      ),
      filter,
      maxDropdownHeight: 340,
      comboboxProps: { shadow: 'md', position: 'bottom-start' },
      classNames: { dropdown: 'svc-model-choices' },
    } as const,
  };
}

type ModelPickerProps = Choice &
  Omit<SelectProps, 'value' | 'onChange' | 'data' | 'filter' | 'renderOption'> & {
    /** Empty if none is selected. */
    value: string;
    onChange: (model: string) => void;
  };

/** Selects one model. A selected model that is no longer listed stays visible, so that users see what to change. */
export function ModelPicker({ value, onChange, fits, besides = [], ...rest }: ModelPickerProps) {
  const { query, given } = useModelChoices({ fits, besides: [...besides, value] });
  const failed = query.error !== null && !query.data;
  return (
    <Select
      placeholder={query.isPending ? t('Loading models…') : t('Choose a model')}
      nothingFoundMessage={t('No matching models')}
      error={failed && t('The models could not be loaded. Open the list to try again.')}
      onDropdownOpen={() => failed && query.refetch()}
      searchable
      allowDeselect={rest.clearable === true}
      selectFirstOptionOnChange
      {...rest}
      {...given}
      value={value || null}
      onChange={(model) => {
        if (model || rest.clearable) onChange(model ?? '');
      }}
    />
  );
}

type ModelsPickerProps = Choice & Omit<TagsInputProps, 'data' | 'filter' | 'renderOption'>;

/**
 * Selects several models, including names that are not listed yet. The list stays open after a choice, so it must not
 * cover the fields above.
 */
export function ModelsPicker({ fits, besides, ...rest }: ModelsPickerProps) {
  return <TagsInput {...rest} {...useModelChoices({ fits, besides }).given} maxDropdownHeight={220} />;
}

type ModelNameInputProps = Choice & Omit<AutocompleteProps, 'data' | 'filter' | 'renderOption'>;

/** Input for one model name, which need not be listed yet. */
export function ModelNameInput({ fits, besides, ...rest }: ModelNameInputProps) {
  return <Autocomplete {...rest} {...useModelChoices({ fits, besides }).given} />;
}
