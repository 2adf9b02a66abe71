import { ActionIcon, Badge, Button, Text, Tooltip } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconArrowDown, IconMessageCircle, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { useHeadingFocus } from '../../heading-focus.ts';
import { firstModel, modelsQuery, orchestrationModel } from '../../models.ts';
import { isAdmin, useUser } from '../../session.ts';
import { useFollow } from '../../use-follow.ts';
import { useUrlState } from '../../use-url-state.ts';
import { AnswerView } from './answer-view.tsx';
import { Composer } from './composer.tsx';
import { type Entry, openCalls } from './conversation.ts';
import { ModelSelect } from './model-select.tsx';
import { SaidView } from './said-view.tsx';
import { changedCount, defaultSettings, readTools, type Settings } from './settings.ts';
import { SettingsDrawer } from './settings-drawer.tsx';
import { ToolResults } from './tool-results.tsx';
import { type Chat, useChat } from './use-chat.ts';

const urlDefaults = { model: '', session: '' };

const suggestions = [
  'Explain what an API gateway does, in three sentences.',
  'Write a haiku about the sea, then explain its structure.',
  'Show a TypeScript function that debounces another, with comments.',
];

/** Continues the session named in the address. */
const startSettings = (sessionId: string): Settings =>
  sessionId === ''
    ? defaultSettings
    : { ...defaultSettings, orchestration: { ...defaultSettings.orchestration, sessionId } };

/** Only an administrator can add a provider. */
const realOnes = (admin: boolean): string =>
  admin ? 'Add a provider key to talk to a real one.' : 'Ask your administrator for a real one.';

interface NothingProps {
  model: string;
  /** The session that the first message continues. */
  session: string;
  onPick: (text: string) => void;
}

function Nothing({ model, session, onPick }: NothingProps) {
  const orchestrated = model === orchestrationModel;
  const admin = isAdmin(useUser());
  if (orchestrated && session !== '') {
    return (
      <EmptyState
        icon={IconMessageCircle}
        title={`Go on with ${session}`}
        description="What was said in this session is remembered; just say what comes next."
      />
    );
  }
  return (
    <EmptyState
      icon={IconMessageCircle}
      title="Say something"
      description={
        model.startsWith('demo/')
          ? `This model is a simulation that answers offline. ${realOnes(admin)}`
          : orchestrated
            ? 'The orchestration model plans the work, gives each task to a fitting model, and remembers the session.'
            : 'Each answer shows its time, tokens, cost and provider.'
      }
      action={suggestions.map((text) => (
        <Button key={text} className="svc-suggestion" variant="default" size="sm" onClick={() => onPick(text)}>
          {text}
        </Button>
      ))}
    />
  );
}

function EntryView({ entry, chat }: { entry: Entry; chat: Chat }) {
  if (entry.role === 'user') return <SaidView said={entry} onEdit={chat.busy ? undefined : chat.edit} />;
  if (entry.role === 'assistant') {
    return <AnswerView answer={entry} onRegenerate={chat.busy ? undefined : chat.regenerate} />;
  }
  return (
    <div className="svc-said-item">
      <Text size="xs" c="dimmed">
        Result of {entry.name}
      </Text>
      <div className="svc-said">{entry.content || '(empty)'}</div>
    </div>
  );
}

/** Esc stops the answer, wherever the focus is. */
function useStopKey(busy: boolean, stop: () => void): void {
  useEffect(() => {
    if (!busy) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) stop();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [busy, stop]);
}

interface ConversationProps {
  chat: Chat;
  model: string;
  session: string;
  ready: boolean;
}

function Conversation({ chat, model, session, ready }: ConversationProps) {
  const { region, content, following, follow } = useFollow();
  const calls = chat.busy ? [] : openCalls(chat.entries);
  const send = (text: string, images: string[] = []) => {
    chat.send(text, images);
    follow();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      <section ref={region} className="svc-chat-region" tabIndex={0} aria-label="Conversation">
        {chat.entries.length === 0 && (
          <Nothing model={model} session={session} onPick={(text) => ready && send(text)} />
        )}
        <ol ref={content} className="svc-chat-list">
          {chat.entries.map((entry) => (
            <li key={entry.id}>
              <EntryView entry={entry} chat={chat} />
            </li>
          ))}
          {calls.length > 0 && (
            <li>
              <ToolResults key={calls[0]!.id} calls={calls} onSend={chat.sendResults} />
            </li>
          )}
        </ol>
      </section>
      <div className="svc-composer">
        {!following && (
          <Tooltip label="To the end">
            <ActionIcon className="svc-to-end" variant="default" radius="xl" aria-label="To the end" onClick={follow}>
              <IconArrowDown size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
        <Composer busy={chat.busy} disabled={!ready} onSend={send} onStop={chat.stop} />
      </div>
    </>
  );
}

export function PlaygroundPage() {
  const heading = useHeadingFocus();
  const [url, setUrl] = useUrlState(urlDefaults);
  const models = useQuery(modelsQuery);
  const model = url.model || firstModel(models.data ?? []);
  const [settings, setSettings] = useState<Settings>(() => startSettings(url.session));
  const [open, setOpen] = useState(false);
  const chat = useChat(model, settings, url.session);
  useStopKey(chat.busy, chat.stop);
  const changed = changedCount(settings, model);
  const toolFault = readTools(settings.tools).fault;
  return (
    <div className="svc-chat">
      <div className="svc-chat-head">
        <h1 ref={heading} tabIndex={-1} className="svc-heading svc-hidden">
          Playground
        </h1>
        <ModelSelect value={model} onChange={(chosen) => setUrl({ model: chosen })} />
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} stroke={1.7} aria-hidden />}
          rightSection={changed > 0 && <Badge size="sm">{changed}</Badge>}
          onClick={() => setOpen(true)}
        >
          Parameters
        </Button>
        <Tooltip label="Clear the conversation">
          <ActionIcon
            variant="default"
            size={36}
            aria-label="Clear the conversation"
            disabled={chat.entries.length === 0}
            onClick={chat.clear}
          >
            <IconTrash size={16} stroke={1.7} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
      {toolFault && (
        <Text size="sm" c="var(--mantine-color-error)" mb="xs">
          Tools are not sent: {toolFault}
        </Text>
      )}
      <Conversation chat={chat} model={model} session={settings.orchestration.sessionId} ready={model !== ''} />
      <SettingsDrawer
        opened={open}
        onClose={() => setOpen(false)}
        model={model}
        settings={settings}
        onChange={setSettings}
      />
    </div>
  );
}
