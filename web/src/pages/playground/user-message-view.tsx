import { ActionIcon, Button, Group, Stack, Text, Textarea, Tooltip } from '@mantine/core';
import { IconEdit } from '@tabler/icons-react';
import { useState } from 'react';
import { isComposing } from '../../composing.ts';
import { t } from '../../language/words.ts';
import { mayClose } from '../../unsaved-changes.ts';
import type { UserEntry } from './conversation.ts';
import { mayDeleteLater } from './later-messages.ts';

interface SaidViewProps {
  said: UserEntry;
  /** Absent while an answer is being streamed. */
  onEdit?: (id: string, text: string) => void;
  /** Whether later messages follow, which editing removes. */
  followed: boolean;
}

function EditSaid({
  said,
  onSave,
  onCancel,
}: {
  said: UserEntry;
  /** Absent while an answer is being streamed. */
  onSave?: (text: string) => void;
  onCancel: () => void;
}) {
  const [text, setText] = useState(said.content);
  return (
    // A form, so that leaving the page with an unsent edit asks first.
    <Stack component="form" gap="xs" w="100%">
      <Textarea
        aria-label={t('Edit your message')}
        autosize
        minRows={2}
        maxRows={12}
        autoFocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
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

export function UserMessageView({ said, onEdit, followed }: SaidViewProps) {
  const [editing, setEditing] = useState<boolean | 'cancelled'>(false);
  if (editing === true) {
    const save = (text: string) => {
      if (!onEdit || (followed && !mayDeleteLater())) return;
      setEditing(false);
      onEdit(said.id, text);
    };
    return <EditSaid said={said} onSave={onEdit && save} onCancel={() => setEditing('cancelled')} />;
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
      {onEdit && (
        <Tooltip label={t('Edit and send again')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={t('Edit message')}
            autoFocus={editing === 'cancelled'}
            onClick={() => setEditing(true)}
          >
            <IconEdit size={15} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  );
}
