import { ActionIcon, Button, Group, Stack, Text, Textarea, Tooltip } from '@mantine/core';
import { IconEdit } from '@tabler/icons-react';
import { useState } from 'react';
import { isComposing } from '../../composing.ts';
import { t } from '../../language/words.ts';
import { mayClose } from '../../unsaved-changes.ts';
import type { ChatStore } from './chat-store.ts';
import type { UserEntry } from './conversation.ts';
import { mayDeleteLater } from './later-messages.ts';

interface SaidViewProps {
  store: ChatStore;
  said: UserEntry;
  /** Whether an answer is being streamed. */
  busy: boolean;
  /** Whether later messages follow, which editing removes. */
  followed: boolean;
}

interface EditSaidProps {
  said: string;
  initial: string;
  /** Whether the user has just begun, rather than come back to this chat. */
  begun: boolean;
  onChange: (text: string) => void;
  /** Absent while an answer is being streamed. */
  onSave?: (text: string) => void;
  onCancel: () => void;
}

function EditSaid({ said, initial, begun, onChange, onSave, onCancel }: EditSaidProps) {
  const [text, setText] = useState(initial);
  return (
    // A form, so that Esc asks before an unsent edit is lost.
    <Stack component="form" gap="xs" w="100%" data-kept>
      <Textarea
        aria-label={t('Edit your message')}
        autosize
        minRows={2}
        maxRows={12}
        autoFocus={begun}
        data-saved={said}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          onChange(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return;
          // Esc must not stop a running answer as well.
          event.preventDefault();
          if (mayClose(event.currentTarget.form)) onCancel();
        }}
      />
      <Group gap="xs" justify="flex-end">
        <Button variant="default" size="xs" onClick={onCancel}>
          {t('Cancel')}
        </Button>
        <Button size="xs" disabled={!onSave || text.trim() === ''} onClick={() => onSave?.(text)}>
          {t('Send again')}
        </Button>
      </Group>
    </Stack>
  );
}

type Editing = 'no' | 'begun' | 'continued' | 'cancelled';

export function UserMessageView({ store, said, busy, followed }: SaidViewProps) {
  const kept = store.typedIn(said.id);
  const [editing, setEditing] = useState<Editing>(kept === undefined ? 'no' : 'continued');
  const keep = (text: string) => store.keepTypedIn(said.id, text === said.content ? null : text);
  const stop = (how: Editing) => {
    store.keepTypedIn(said.id, null);
    setEditing(how);
  };
  if (editing === 'begun' || editing === 'continued') {
    const save = (text: string) => {
      if (followed && !mayDeleteLater()) return;
      stop('no');
      store.edit(said.id, text);
    };
    return (
      <EditSaid
        said={said.content}
        initial={kept ?? said.content}
        begun={editing === 'begun'}
        onChange={keep}
        onSave={busy ? undefined : save}
        onCancel={() => stop('cancelled')}
      />
    );
  }
  return (
    <div className="svc-said-item">
      {said.images.length > 0 && (
        <div className="svc-said-images">
          {said.images.map((url) => (
            <img key={url.slice(-64)} src={url} alt={t('Attached image')} />
          ))}
        </div>
      )}
      {said.imagesLeftOut && (
        <Text size="xs" c="dimmed">
          {t('{count, plural, one {# image was too large to save} other {# images were too large to save}}', {
            count: said.imagesLeftOut,
          })}
        </Text>
      )}
      {said.content !== '' && (
        <div className="svc-said" dir="auto">
          {said.content}
        </div>
      )}
      {!busy && (
        <Tooltip label={t('Edit and send again')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={t('Edit message')}
            autoFocus={editing === 'cancelled'}
            onClick={() => setEditing('begun')}
          >
            <IconEdit size={15} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  );
}
