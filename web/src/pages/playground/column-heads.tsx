import { ActionIcon, Group, SegmentedControl, Tooltip } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { rich, t } from '../../language/words.ts';
import type { ChatStore } from './chat-store.ts';
import type { Column } from './conversation.ts';
import { ModelSelect } from './model-select.tsx';

interface ColumnHeadProps {
  store: ChatStore;
  column: Column;
  place: number;
}

/** The column's model, and the button that removes the column. */
function ColumnHead({ store, column, place }: ColumnHeadProps) {
  const [removing, setRemoving] = useState(false);
  const answered = store.shown().entries.some((entry) => entry.role === 'assistant' && entry.column === column.id);
  const remove = async () => store.removeColumn(column.id);
  return (
    <Group gap={4} wrap="nowrap" className="svc-chat-column">
      <ModelSelect
        label={t('Model {place}', { place })}
        value={column.model}
        onChange={(model) => store.choose(column.id, model)}
      />
      <Tooltip label={t('Remove this model')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('Remove model {place}', { place })}
          onClick={() => (answered ? setRemoving(true) : void remove())}
        >
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <ConfirmDelete
        opened={removing}
        onClose={() => setRemoving(false)}
        title={t('Remove this model?')}
        confirmLabel={t('Remove')}
        onConfirm={remove}
      >
        {rich('The answers from <b>{model}</b> will be deleted from this chat.', {
          model: column.model,
          b: (model) => <b className="svc-anywhere">{model}</b>,
        })}
      </ConfirmDelete>
    </Group>
  );
}

/** The model's name without the vendor, since phones lack the space. */
const shortName = (model: string): string => model.slice(model.indexOf('/') + 1) || model;

interface ColumnHeadsProps {
  store: ChatStore;
  columns: Column[];
  /** The only visible column on a phone; null if all are shown. */
  single: Column | null;
  onShow: (id: string) => void;
}

export function ColumnHeads({ store, columns, single, onShow }: ColumnHeadsProps) {
  const shown = single ? [single] : columns;
  return (
    <>
      {single && (
        <SegmentedControl
          className="svc-chat-tabs"
          fullWidth
          mb="xs"
          aria-label={t('Show answers from')}
          value={single.id}
          onChange={onShow}
          data={columns.map(({ id, model }, index) => ({ value: id, label: `${index + 1} ${shortName(model)}` }))}
        />
      )}
      <div className="svc-chat-cells svc-chat-heads" data-columns={shown.length}>
        {shown.map((column) => (
          <ColumnHead key={column.id} store={store} column={column} place={columns.indexOf(column) + 1} />
        ))}
      </div>
    </>
  );
}
