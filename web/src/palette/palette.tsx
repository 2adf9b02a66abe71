import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { isComposing } from '../composing.ts';
import { t } from '../language/words.ts';
import { pageGroup } from './entries.ts';
import { type Entry, type Found, find } from './find.ts';
import { useEntries } from './use-entries.ts';

interface ResultsProps {
  id: string;
  found: Found[];
  active: Entry | undefined;
  onPoint: (entry: Entry) => void;
  onChoose: (entry: Entry) => void;
}

const optionId = (list: string, { key }: Entry): string => `${list}-${key.replaceAll(/\s/g, '_')}`;

function Option({
  list,
  entry,
  active,
  onPoint,
  onChoose,
}: Omit<ResultsProps, 'id' | 'found'> & { list: string; entry: Entry }) {
  const option = useRef<HTMLDivElement>(null);
  const isActive = active?.key === entry.key;
  useEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  const { icon: Icon, label, hint } = entry;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input keeps the focus and handles the keys
    <div
      ref={option}
      id={optionId(list, entry)}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      className="svc-palette-option"
      onMouseMove={() => !isActive && onPoint(entry)}
      onClick={() => onChoose(entry)}
    >
      <Icon size={17} stroke={1.7} aria-hidden />
      <bdi className="svc-palette-label">{label}</bdi>
      {hint && <bdi className="svc-palette-hint">{hint}</bdi>}
    </div>
  );
}

function Results({ id, found, ...rest }: ResultsProps) {
  return (
    <div id={id} role="listbox" aria-label={t('Results')} className="svc-palette-list">
      {found.map(({ group, entries }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed inside a listbox
        <div key={group} role="group" aria-label={group}>
          <div className="svc-palette-group" aria-hidden>
            {group}
          </div>
          {entries.map((entry) => (
            <Option key={entry.key} list={id} entry={entry} {...rest} />
          ))}
        </div>
      ))}
    </div>
  );
}

const keysOf = ({ key, nativeEvent }: KeyboardEvent): string => (isComposing(nativeEvent) ? '' : key);

function Search({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('');
  const [pointed, setPointed] = useState<string | null>(null);
  const navigate = useNavigate();
  const list = useId();
  const found = find(useEntries(query), query, pageGroup);
  const entries = found.flatMap((group) => group.entries);
  const place = Math.max(
    0,
    entries.findIndex(({ key }) => key === pointed),
  );
  const active = entries[place];
  const choose = (entry: Entry) => {
    onClose();
    void navigate(entry.to);
  };
  const move = (to: number) => setPointed(entries.at(to % (entries.length || 1))?.key ?? null);
  const acts: Record<string, () => void> = {
    ArrowDown: () => move(place + 1),
    ArrowUp: () => move(place - 1),
    Enter: () => active && choose(active),
  };
  return (
    <>
      <TextInput
        data-autofocus
        aria-label={t('Search pages, models, keys and more')}
        placeholder={t('Pages, models, keys and more')}
        leftSection={<IconSearch size={16} stroke={1.7} aria-hidden />}
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={active && optionId(list, active)}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          // The new query has another best match.
          setPointed(null);
        }}
        onKeyDown={(event) => {
          const act = acts[keysOf(event)];
          if (!act) return;
          event.preventDefault();
          act();
        }}
      />
      <Results id={list} found={found} active={active} onPoint={({ key }) => setPointed(key)} onChoose={choose} />
      <p className="svc-palette-note" role="status">
        {entries.length === 0 ? t('No matching results.') : ''}
      </p>
    </>
  );
}

export interface PaletteProps {
  opened: boolean;
  onClose: () => void;
}

/** Finds any page or item by name and goes to it. */
export function Palette({ opened, onClose }: PaletteProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={t('Go to')} size="lg" yOffset="8vh">
      <Search onClose={onClose} />
    </Dialog>
  );
}
