import { ActionIcon, Button, Group, Stack, Text, Textarea, Tooltip } from '@mantine/core';
import { IconEdit } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../../language/words.ts';
import type { UserEntry } from './conversation.ts';

interface SaidViewProps {
  said: UserEntry;
  /** Absent while an answer is being streamed. */
  onEdit?: (id: string, text: string) => void;
}

function EditSaid({
  said,
  onSave,
  onCancel,
}: {
  said: UserEntry;
  onSave: (text: string) => void;
  onCancel: () => void;
}) {
  const [text, setText] = useState(said.content);
  return (
    <Stack gap="xs" w="100%">
      <Textarea
        aria-label={t('Edit your message')}
        autosize
        minRows={2}
        maxRows={12}
        autoFocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel();
        }}
      />
      <Group gap="xs" justify="flex-end">
        <Button variant="default" size="xs" onClick={onCancel}>
          {t('Cancel')}
        </Button>
        <Button size="xs" disabled={text.trim() === ''} onClick={() => onSave(text)}>
          {t('Send again')}
        </Button>
      </Group>
    </Stack>
  );
}

export function UserMessageView({ said, onEdit }: SaidViewProps) {
  const [editing, setEditing] = useState(false);
  if (editing) {
    const save = (text: string) => {
      setEditing(false);
      onEdit?.(said.id, text);
    };
    return <EditSaid said={said} onSave={save} onCancel={() => setEditing(false)} />;
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
            onClick={() => setEditing(true)}
          >
            <IconEdit size={15} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  );
}
