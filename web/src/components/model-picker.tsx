import {
  Autocomplete,
  type AutocompleteProps,
  type ComboboxItem,
  type ComboboxItemGroup,
  type OptionsFilter,
  Select,
  type SelectProps,
  TagsInput,
  type TagsInputProps,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { t } from '../language/words.ts';
import { isCalled } from '../model-list.ts';
import { groupsOf, modelsQuery, type OfferedModel } from '../models.ts';
import { ModelLine } from './model-marks.tsx';

/** More than these nobody scrolls through: typing narrows them. */
const mostShown = 100;

interface Choice {
  /** Which models are offered; all unless it says otherwise. */
  fits?: (model: OfferedModel) => boolean;
  /** Names offered besides: of models that are chosen, or were used, and are not listed any more. */
  besides?: readonly string[];
}

/** What all pickers of models have in common: by owner, found by any part of the name, each with what one chooses by. */
function useModelChoices({ fits = () => true, besides = [] }: Choice) {
  const query = useQuery(modelsQuery);
  const models = query.data ?? [];
  const byId = new Map(models.map((model) => [model.id, model]));
  const groups = groupsOf(models.filter(fits));
  const offered = new Set(groups.flatMap(({ items }) => items.map(({ value }) => value)));
  const others = [...new Set(besides)].filter((id) => id !== '' && !offered.has(id));
  const more = { group: t('Not listed'), items: others.map((id) => ({ value: id, label: id })) };
  const filter: OptionsFilter = ({ options, search }) => {
    let left = mostShown;
    const called = ({ value }: { value: string }) => {
      const { id, name } = byId.get(value) ?? { id: value, name: '' };
      const shown = left > 0 && isCalled({ id, name }, search.trim());
      if (shown) left -= 1;
      return shown;
    };
    return (options as ComboboxItemGroup<ComboboxItem>[])
      .map((group) => ({ ...group, items: group.items.filter(called) }))
      .filter(({ items }) => items.length > 0);
  };
  return {
    query,
    given: {
      data: others.length > 0 ? [...groups, more] : groups,
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
    /** Empty for none. */
    value: string;
    onChange: (model: string) => void;
  };

/** One model. What is chosen stays visible when it is not listed, so that one sees what to change. */
export function ModelPicker({ value, onChange, fits, besides = [], ...rest }: ModelPickerProps) {
  const { query, given } = useModelChoices({ fits, besides: [...besides, value] });
  const failed = query.error !== null && !query.data;
  return (
    <Select
      placeholder={query.isPending ? t('Loading models…') : t('Choose a model')}
      nothingFoundMessage={t('No model has that in its name')}
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

/** Several models, by names that need not be listed yet. The list stays open after a choice, and must not reach over the fields above. */
export function ModelsPicker({ fits, besides, ...rest }: ModelsPickerProps) {
  return <TagsInput {...rest} {...useModelChoices({ fits, besides }).given} maxDropdownHeight={220} />;
}

type ModelNameInputProps = Choice & Omit<AutocompleteProps, 'data' | 'filter' | 'renderOption'>;

/** The name of one model, which need not be listed yet. */
export function ModelNameInput({ fits, besides, ...rest }: ModelNameInputProps) {
  return <Autocomplete {...rest} {...useModelChoices({ fits, besides }).given} />;
}
