import { Badge, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import {
  IconAdjustmentsHorizontal,
  IconColumns,
  IconHistory,
  IconMessageOff,
  IconPlus,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError } from '../../api.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { notifySuccess } from '../../components/notify.ts';
import { useHeadingFocus } from '../../heading-focus.ts';
import { serverText } from '../../language/server-texts.ts';
import { t } from '../../language/words.ts';
import { startModel } from '../../model-facts.ts';
import { firstModel, type ListedModel, modelsQuery, type OfferedModel, orchestrationModel } from '../../models.ts';
import { useUser } from '../../session.ts';
import { usePhone } from '../../use-phone.ts';
import { ChatsDrawer } from './chats-drawer.tsx';
import { ColumnHeads } from './column-heads.tsx';
import type { Column } from './conversation.ts';
import { ConversationView } from './conversation-view.tsx';
import { ModelSelect } from './model-select.tsx';
import { changedCount, refusedOf } from './settings.ts';
import { SettingsDrawer } from './settings-drawer.tsx';
import { type OpenChat, useOpenChat } from './use-open-chat.ts';
import { useStopKey } from './use-stop-key.ts';

const mostColumns = 4;

/** A model to compare with: not the orchestration model, and not in use yet. */
function anotherModel(models: ListedModel[], columns: Column[]): string {
  const asked = new Set([orchestrationModel, ...columns.map(({ model }) => model)]);
  return firstModel(models.filter(({ id }) => !asked.has(id))) || columns[0]!.model;
}

/** Keeps the first result: it depends on the providers' health, which may change while the user types. */
function useFirstModel(models: OfferedModel[]): string {
  const { quota } = useUser();
  const [chosen, setChosen] = useState('');
  const first = chosen || startModel(models, quota);
  if (first !== chosen) setChosen(first);
  return first;
}

/** The chat was continued elsewhere. The messages from here are kept in a separate chat. */
function useMoved({ store, shown }: OpenChat): void {
  useEffect(() => {
    if (shown.movedFrom === null) return;
    store.settle();
    notifySuccess(t('This chat was changed elsewhere. Your messages here were saved as a separate chat.'));
  }, [store, shown.movedFrom]);
}

interface HeadButtonProps {
  label: string;
  icon: TablerIcon;
  onClick: () => void;
  disabled?: boolean;
  badge?: number;
}

/** Shows only its icon on a phone. */
function HeadButton({ label, icon: Icon, onClick, disabled, badge = 0 }: HeadButtonProps) {
  return (
    <Button
      className="svc-chat-button"
      variant="default"
      title={label}
      disabled={disabled}
      leftSection={<Icon size={16} stroke={1.7} aria-hidden />}
      rightSection={
        badge > 0 && (
          <Badge size="sm" aria-hidden>
            {badge}
          </Badge>
        )
      }
      onClick={onClick}
    >
      {label}
    </Button>
  );
}

function NotSaved({ chat }: { chat: OpenChat }) {
  const { fault } = chat.shown;
  if (!fault) return null;
  return (
    <Group gap="xs" mb="xs" role="alert">
      <Text size="sm" c="var(--mantine-color-error)">
        {t('This chat is not saved: {reason}', { reason: serverText(fault.message) })}
      </Text>
      <Button size="compact-xs" variant="default" onClick={() => chat.store.saveNow()}>
        {t('Try again')}
      </Button>
    </Group>
  );
}

/** The chat was deleted, belongs to another user, or the id is invalid: a retry would not help. */
function ChatGone({ chat, onList }: { chat: OpenChat; onList: () => void }) {
  return (
    <EmptyState
      icon={IconMessageOff}
      title={t('Chat not found')}
      description={t('It was deleted or belongs to another account.')}
      action={
        <Group justify="center" gap="xs">
          <Button variant="default" onClick={onList}>
            {t('Show my chats')}
          </Button>
          <Button onClick={chat.startNew}>{t('Start a new chat')}</Button>
        </Group>
      }
    />
  );
}

interface ChatBodyProps {
  chat: OpenChat;
  columns: Column[];
  single: Column | null;
  onList: () => void;
}

function ChatBody({ chat, columns, single, onList }: ChatBodyProps) {
  const { store, shown, loading, load } = chat;
  if (!loading) return <ConversationView store={store} shown={shown} columns={columns} single={single} />;
  if (loading.error instanceof ApiError && [400, 404].includes(loading.error.status))
    return <ChatGone chat={chat} onList={onList} />;
  if (loading.error != null) {
    return (
      <ErrorState error={loading.error} title={t('The chat could not be opened')} onRetry={() => load(loading.id)} />
    );
  }
  return (
    <Stack aria-busy="true">
      <Skeleton height={48} width="60%" ml="auto" />
      <Skeleton height={140} />
    </Stack>
  );
}

export function PlaygroundPage() {
  const heading = useHeadingFocus();
  const models = useQuery(modelsQuery);
  const chat = useOpenChat();
  const { tab, store, shown } = chat;
  const [open, setOpen] = useState<'chats' | 'parameters' | null>(null);
  const [front, setFront] = useState('');
  const phone = usePhone();
  useStopKey(shown.busy, store.stopAll);
  useMoved(chat);
  const start = useFirstModel(models.data ?? []);
  const columns = shown.columns.map((column) => ({ ...column, model: column.model || start }));
  const several = columns.length > 1;
  const single = phone && several ? (columns.find(({ id }) => id === front) ?? columns[0]!) : null;
  const orchestrated = columns.some(({ model }) => model === orchestrationModel);
  const notSent = refusedOf(shown.settings);
  const close = () => setOpen(null);
  const who = several ? (
    <Text className="svc-chat-name" size="sm" fw={500} truncate dir="auto">
      {shown.name}
    </Text>
  ) : (
    <ModelSelect value={columns[0]!.model} onChange={(model) => store.choose(columns[0]!.id, model)} />
  );
  return (
    <div className="svc-chat" data-columns={columns.length}>
      <div className="svc-chat-head">
        <h1 ref={heading} tabIndex={-1} className="svc-heading svc-hidden">
          {t('Playground')}
        </h1>
        <HeadButton label={t('Chats')} icon={IconHistory} onClick={() => setOpen('chats')} />
        {!phone && who}
        <HeadButton
          label={t('Compare')}
          icon={IconColumns}
          disabled={columns.length >= mostColumns || start === '' || shown.busy}
          onClick={() => store.addColumn(anotherModel(models.data ?? [], columns))}
        />
        <HeadButton
          label={t('Parameters')}
          icon={IconAdjustmentsHorizontal}
          badge={changedCount(shown.settings, orchestrated)}
          onClick={() => setOpen('parameters')}
        />
        <HeadButton
          label={t('New chat')}
          icon={IconPlus}
          disabled={shown.entries.length === 0 && !chat.loading}
          onClick={chat.startNew}
        />
        {phone && who}
      </div>
      {notSent.map((words) => (
        <Text key={words} size="sm" c="var(--mantine-color-error)" mb="xs">
          {words}
        </Text>
      ))}
      <NotSaved chat={chat} />
      {several && !chat.loading && <ColumnHeads store={store} columns={columns} single={single} onShow={setFront} />}
      <ChatBody chat={chat} columns={columns} single={single} onList={() => setOpen('chats')} />
      <SettingsDrawer
        opened={open === 'parameters'}
        onClose={close}
        orchestrated={orchestrated}
        settings={shown.settings}
        onChange={store.changeSettings}
      />
      <ChatsDrawer
        opened={open === 'chats'}
        onClose={close}
        current={shown.id}
        onOpen={(id) => {
          close();
          chat.open(id);
        }}
        onRenamed={(id, name) => tab.find(id)?.rename(name)}
        onDeleted={(id) => tab.remove(id)}
      />
    </div>
  );
}
