import { ActionIcon, CloseButton, FileButton, Group, Textarea, Tooltip } from '@mantine/core';
import { IconArrowUp, IconPhotoPlus, IconPlayerStopFilled } from '@tabler/icons-react';
import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react';
import { notifyError } from '../../components/notify.ts';
import { isComposing } from '../../composing.ts';
import { t } from '../../language/words.ts';
import { readImage } from '../../read-image.ts';
import type { Typed } from './chat-store.ts';

interface ComposerProps {
  /** The input at the time this chat was last open. */
  typed: Typed;
  onTyped: (typed: Typed) => void;
  busy: boolean;
  /** Whether several models are asked. */
  several: boolean;
  disabled: boolean;
  onSend: (text: string, images: string[]) => void;
  onStop: () => void;
}

/** A phone has no Shift+Enter for a new line: there, Enter is one, and the button sends. */
const hasKeyboard = (): boolean => matchMedia('(pointer: fine)').matches;

/** On a phone, focusing would open the keyboard over the page. */
const focusOn = (input: HTMLElement | null): void => {
  if (hasKeyboard()) input?.focus();
};

function Attached({ images, onRemove }: { images: string[]; onRemove: (index: number) => void }) {
  return (
    <Group gap="xs" mb="xs">
      {images.map((url, index) => (
        <Group key={url.slice(-64)} gap={2} wrap="nowrap">
          <img
            src={url}
            alt={t('Attached image {number}', { number: index + 1 })}
            height={40}
            style={{ borderRadius: 6 }}
          />
          <CloseButton
            size="xs"
            aria-label={t('Remove image {number}', { number: index + 1 })}
            onClick={() => onRemove(index)}
          />
        </Group>
      ))}
    </Group>
  );
}

/**
 * Memoized, because its auto-sizing text area forces a layout of the whole page on every render of a streamed answer.
 */
export const Composer = memo(function Composer({
  typed,
  onTyped,
  busy,
  several,
  disabled,
  onSend,
  onStop,
}: ComposerProps) {
  const [text, setText] = useState(typed.text);
  const [images, setImages] = useState(typed.images);
  useEffect(() => onTyped({ text, images }), [onTyped, text, images]);
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => focusOn(input.current), []);
  useEffect(() => {
    // The button that asked for the answer is gone while it is running.
    if (busy && document.activeElement === document.body) focusOn(input.current);
  }, [busy]);
  const sendable = !disabled && !busy && (text.trim() !== '' || images.length > 0);
  const send = () => {
    if (!sendable) return;
    onSend(text.trim(), images);
    setText('');
    setImages([]);
  };
  const stop = () => {
    onStop();
    focusOn(input.current);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent) || !hasKeyboard()) return;
    event.preventDefault();
    send();
  };
  const attach = async (files: File[]) => {
    try {
      const urls = await Promise.all(files.map(readImage));
      setImages((before) => [...new Set([...before, ...urls])]);
    } catch (error) {
      notifyError(error);
    }
  };
  return (
    <>
      {images.length > 0 && (
        <Attached images={images} onRemove={(index) => setImages(images.filter((_, other) => other !== index))} />
      )}
      <div className="svc-composer-row">
        <FileButton onChange={attach} accept="image/png,image/jpeg,image/webp,image/gif" multiple>
          {(props) => (
            <Tooltip label={t('Attach images')}>
              <ActionIcon {...props} variant="default" size={42} aria-label={t('Attach images')}>
                <IconPhotoPlus size={18} stroke={1.7} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
        </FileButton>
        <Textarea
          ref={input}
          className="svc-composer-text"
          aria-label={t('Message')}
          placeholder={several ? t('Message all models…') : t('Send a message…')}
          autosize
          minRows={1}
          maxRows={10}
          size="md"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {busy ? (
          <Tooltip label={several ? t('Stop all (Esc)') : t('Stop (Esc)')}>
            <ActionIcon size={42} color="red" aria-label={several ? t('Stop all') : t('Stop')} onClick={stop}>
              <IconPlayerStopFilled size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        ) : (
          <Tooltip label={t('Send (Enter)')}>
            <ActionIcon size={42} aria-label={t('Send')} disabled={!sendable} onClick={send}>
              <IconArrowUp size={20} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
    </>
  );
});
