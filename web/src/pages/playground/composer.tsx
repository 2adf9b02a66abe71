import { ActionIcon, FileButton, Text, Textarea, Tooltip } from '@mantine/core';
import { IconArrowUp, IconPhotoPlus, IconPlayerStopFilled } from '@tabler/icons-react';
import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react';
import { notifyError } from '../../components/notify.ts';
import { isComposing } from '../../composing.ts';
import { t } from '../../language/words.ts';
import { readImage, seenTypes } from '../../read-image.ts';
import { AttachedImages } from './attached-images.tsx';
import type { Typed } from './chat-store.ts';
import { useGivenFiles } from './use-given-files.ts';

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
  const attachButton = useRef<HTMLButtonElement>(null);
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
    const read = await Promise.allSettled(files.map((file) => readImage(file, seenTypes)));
    const urls = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    setImages((before) => [...new Set([...before, ...urls])]);
    for (const one of read) if (one.status === 'rejected') notifyError(one.reason);
    focusOn(input.current);
  };
  const remove = (removed: string) => {
    setImages(images.filter((url) => url !== removed));
    if (hasKeyboard()) focusOn(input.current);
    else attachButton.current?.focus();
  };
  const over = useGivenFiles(attach);
  return (
    <>
      <AttachedImages images={images} onRemove={remove} />
      {over && (
        <Text className="svc-drop" ta="center" size="sm" data-over mb="xs">
          {t('Drop images to attach them')}
        </Text>
      )}
      <div className="svc-composer-row">
        <FileButton onChange={attach} accept={seenTypes.join()} multiple>
          {(props) => (
            <Tooltip label={t('Attach images (or paste or drop them here)')}>
              <ActionIcon {...props} ref={attachButton} variant="default" size={42} aria-label={t('Attach images')}>
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
