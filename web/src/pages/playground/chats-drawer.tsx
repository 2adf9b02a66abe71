import { Skeleton, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { IconDownload, IconMessages, IconPencil, IconSearchOff, IconTrash } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { del, get, put, type Result } from '../../api.ts';
import { byCursor } from '../../by-cursor.ts';
import { ConfirmDelete } from '../../components/confirm-delete.tsx';
import { SideDialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notifyError } from '../../components/notify.ts';
import { RowMenu } from '../../components/row-menu.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { rich, t } from '../../language/words.ts';
import { saveFile } from '../../save-file.ts';
import { queryClient } from '../../session.ts';
import { useAct } from '../../use-act.ts';
import { useCheckedForm } from '../../use-checked-form.ts';
import { fileNameOf, markdownOf } from './chat-markdown.ts';
import { chatsKey } from './chat-saver.ts';

type ChatHead = Result<'/api/playground/chats', 'get'>['chats'][number];

const pageSize = 30;
/** The service's limit for names. */
const mostCharacters = 120;
const reload = () => queryClient.invalidateQueries({ queryKey: chatsKey });

interface ChatsDrawerProps {
  opened: boolean;
  onClose: () => void;
  /** Id of the open chat. */
  current: string;
  onOpen: (id: string) => void;
  onRenamed: (id: string, name: string) => void;
  onDeleted: (id: string) => void;
}

const nameFaults = ({ name }: { name: string }) => ({ ...(name.trim() === '' && { name: t('Enter a name.') }) });

function RenameChat({
  chat,
  onClose,
  onRenamed,
}: {
  chat: ChatHead;
  onClose: () => void;
  onRenamed: (n: string) => void;
}) {
  const send = async ({ name }: { name: string }) => {
    const renamed = await put('/api/playground/chats/{chat_id}/name', { path: { chat_id: chat.id }, body: { name } });
    onRenamed(renamed.name);
    onClose();
    await reload();
  };
  const { text, sending } = useCheckedForm({ name: chat.name }, nameFaults, send);
  return (
    <FormDialog
      onClose={onClose}
      title={t('Rename chat')}
      {...sending}
      failure={t('The chat was not renamed')}
      submitLabel={t('Rename')}
    >
      <TextInput label={t('Name')} maxLength={mostCharacters} data-autofocus {...text('name')} />
    </FormDialog>
  );
}

function DeleteChat({ chat, onClose, onDeleted }: { chat: ChatHead; onClose: () => void; onDeleted: () => void }) {
  const remove = async () => {
    await del('/api/playground/chats/{chat_id}', { path: { chat_id: chat.id } });
    onDeleted();
    await reload();
  };
  return (
    <ConfirmDelete opened onClose={onClose} title={t('Delete this chat?')} onConfirm={remove}>
      {rich('All messages in <b>{name}</b> will be permanently deleted. Their cost remains in your usage.', {
        name: chat.name,
        b: (name) => <b className="svc-anywhere">{name}</b>,
      })}
    </ConfirmDelete>
  );
}

const download = async ({ id, name }: ChatHead) => {
  const { content } = await get('/api/playground/chats/{chat_id}', { path: { chat_id: id } });
  saveFile({ name: fileNameOf(name), blob: new Blob([markdownOf(name, content)], { type: 'text/markdown' }) });
};

type Act = { kind: 'rename' | 'delete'; chat: ChatHead };

function ChatRow({
  chat,
  isCurrent,
  onOpen,
  onAct,
}: {
  chat: ChatHead;
  isCurrent: boolean;
  onOpen: () => void;
  onAct: (act: Act) => void;
}) {
  const save = useAct({ mutationFn: () => download(chat), onError: notifyError });
  const acts = [
    { label: t('Rename'), icon: IconPencil, onClick: () => onAct({ kind: 'rename', chat }) },
    { label: t('Download as text'), icon: IconDownload, onClick: () => save.mutate() },
    { label: t('Delete'), icon: IconTrash, onClick: () => onAct({ kind: 'delete', chat }), danger: true },
  ];
  return (
    <li className="svc-chat-row" data-current={isCurrent || undefined}>
      <UnstyledButton className="svc-chat-open" onClick={onOpen} aria-current={isCurrent ? 'true' : undefined}>
        <Text component="span" size="sm" fw={isCurrent ? 600 : 500} truncate dir="auto">
          {chat.name}
        </Text>
        <Text component="span" size="xs" c="dimmed" truncate>
          <TimeAgo at={chat.updated_at} /> · {chat.models.join(', ')}
        </Text>
        {chat.excerpt !== null && (
          <Text component="span" size="xs" lineClamp={2} dir="auto">
            {chat.excerpt}
          </Text>
        )}
      </UnstyledButton>
      <RowMenu label={chat.name} acts={acts} />
    </li>
  );
}

function ChatList({
  current,
  onOpen,
  onAct,
}: Pick<ChatsDrawerProps, 'current' | 'onOpen'> & { onAct: (act: Act) => void }) {
  const [q, setQ] = useState('');
  const query = useInfiniteQuery({
    ...byCursor([...chatsKey, q], pageSize, (part, signal) =>
      get('/api/playground/chats', { query: { ...part, ...(q && { q }) }, signal }),
    ),
    // The list stays while the next search runs.
    placeholderData: keepPreviousData,
    // Chats may have been changed in another browser.
    staleTime: 0,
  });
  const chats = query.data?.pages.flatMap((page) => page.chats);
  if (query.error && !chats) {
    return (
      <ErrorState error={query.error} title={t('The chats could not be loaded')} onRetry={() => query.refetch()} />
    );
  }
  if (!chats) {
    return (
      <Stack gap="xs" aria-busy="true">
        <Skeleton height={44} />
        <Skeleton height={44} />
        <Skeleton height={44} />
      </Stack>
    );
  }
  if (chats.length === 0 && q === '') {
    return (
      <EmptyState
        icon={IconMessages}
        title={t('No chats yet')}
        description={t('Your chats are saved here and available in every browser you log in with.')}
      />
    );
  }
  return (
    <Stack gap="sm">
      <SearchInput label={t('Search chats')} value={q} onChange={setQ} width="100%" />
      {chats.length === 0 && (
        <EmptyState
          icon={IconSearchOff}
          title={t('No matching chats')}
          description={t('Searches look for all your words in the name and the messages of a chat.')}
        />
      )}
      <ul className="svc-chat-rows" aria-label={t('Chats')} aria-busy={query.isPlaceholderData}>
        {chats.map((chat) => (
          <ChatRow
            key={chat.id}
            chat={chat}
            isCurrent={chat.id === current}
            onOpen={() => onOpen(chat.id)}
            onAct={onAct}
          />
        ))}
      </ul>
      <ShowMore query={query} size="xs" fullWidth>
        {t('Older chats')}
      </ShowMore>
    </Stack>
  );
}

/** All chats of the user, most recently used first. */
export function ChatsDrawer({ opened, onClose, current, onOpen, onRenamed, onDeleted }: ChatsDrawerProps) {
  const [act, setAct] = useState<Act | null>(null);
  const end = () => setAct(null);
  return (
    <>
      <SideDialog
        opened={opened}
        onClose={onClose}
        title={t('Chats')}
        position="left"
        size="23rem"
        closeButtonProps={{ 'aria-label': t('Close chats') }}
      >
        <ChatList current={current} onOpen={onOpen} onAct={setAct} />
      </SideDialog>
      {act?.kind === 'rename' && (
        <RenameChat chat={act.chat} onClose={end} onRenamed={(name) => onRenamed(act.chat.id, name)} />
      )}
      {act?.kind === 'delete' && <DeleteChat chat={act.chat} onClose={end} onDeleted={() => onDeleted(act.chat.id)} />}
    </>
  );
}
