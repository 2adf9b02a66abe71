import { FileInput } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../language/words.ts';
import { readImage, stillTypes } from '../../read-image.ts';
import type { FrameType } from './video-fields.ts';

const labels = { first_frame: t('First frame'), last_frame: t('Last frame') };
const noneLabels = { first_frame: t('No first frame'), last_frame: t('No last frame') };

interface FrameInputProps {
  type: FrameType;
  /** Whether the form holds this image: a video must not be made without an image that is shown here. */
  held: boolean;
  onChange: (url: string | null) => void;
}

export function FrameInput({ type, held, onChange }: FrameInputProps) {
  const [file, setFile] = useState<File | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const pick = async (picked: File | null) => {
    setFault(null);
    onChange(null);
    if (!picked) return;
    try {
      const url = await readImage(picked, stillTypes);
      setFile(picked);
      onChange(url);
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  return (
    <FileInput
      label={labels[type]}
      placeholder={t('Choose an image')}
      accept={stillTypes.join()}
      clearable
      clearButtonProps={{ 'aria-label': noneLabels[type] }}
      value={held ? file : null}
      onChange={(picked) => void pick(picked)}
      error={fault}
    />
  );
}
