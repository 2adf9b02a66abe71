import { ActionIcon, Tooltip } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { useCallback, useEffect, useRef } from 'react';
import { t } from '../../language/words.ts';
import { useStickToBottom } from '../../use-stick-to-bottom.ts';
import type { ChatStore, Shown } from './chat-store.ts';
import { Composer } from './composer.tsx';
import { type Column, type Turn, turnsOf } from './conversation.ts';
import { EmptyChat } from './empty-chat.tsx';
import { TurnView } from './turn-view.tsx';
import { useFirstTurn } from './use-first-turn.ts';

interface ConversationViewProps {
  store: ChatStore;
  shown: Shown;
  /** Columns with the model that each will ask next. */
  columns: Column[];
  /** The only visible column on a phone; null if all are shown. */
  single: Column | null;
}

/** Status for screen readers, including the end of an answer. Failures are announced separately. */
function stateOf(turn: Turn | undefined, busy: boolean): string {
  if (busy) return t('Waiting for the answer');
  const answers = turn?.after.filter((entry) => entry.role === 'assistant') ?? [];
  return answers.length > 0 && answers.every(({ state }) => state === 'done') ? t('Answer complete') : '';
}

export function ConversationView({ store, shown, columns, single }: ConversationViewProps) {
  const { region, content, following, follow } = useStickToBottom();
  const ready = columns.every(({ model }) => model !== '');
  const several = columns.length > 1;
  const turns = turnsOf(shown.entries);
  const first = useFirstTurn(store.key, turns.length);
  const send = (text: string, images: string[] = []) => {
    if (!ready) return;
    for (const { id, model } of columns) store.choose(id, model);
    store.send(text, images);
    follow();
  };
  const latest = useRef(send);
  useEffect(() => {
    latest.current = send;
  });
  const sendLatest = useCallback((text: string, images: string[]) => latest.current(text, images), []);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scroll regions must be reachable by keyboard (WCAG 2.1.1) */}
      <section ref={region} className="svc-chat-region" tabIndex={0} aria-label={t('Conversation')}>
        {turns.length === 0 && (
          <EmptyChat
            models={columns.map(({ model }) => model)}
            session={shown.settings.orchestration.sessionId}
            onPick={send}
          />
        )}
        <ol ref={content} className="svc-chat-list">
          {turns.slice(first).map((turn) => (
            <TurnView
              key={turn.said.id}
              store={store}
              turn={turn}
              columns={single ? [single] : columns}
              busy={shown.busy}
              last={turn === turns.at(-1)}
              several={several}
            />
          ))}
        </ol>
      </section>
      <p className="svc-hidden" role="status">
        {stateOf(turns.at(-1), shown.busy)}
      </p>
      <div className="svc-composer">
        {!following && (
          <Tooltip label={t('Scroll to end')}>
            <ActionIcon
              className="svc-to-end"
              variant="default"
              radius="xl"
              aria-label={t('Scroll to end')}
              onClick={follow}
            >
              <IconArrowDown size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
        <Composer
          key={store.key}
          typed={store.typed}
          onTyped={store.keepTyped}
          busy={shown.busy}
          several={several}
          disabled={!ready}
          onSend={sendLatest}
          onStop={store.stopAll}
        />
      </div>
    </>
  );
}
