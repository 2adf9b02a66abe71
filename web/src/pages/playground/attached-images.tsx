import { CloseButton, Group } from '@mantine/core';
import { t } from '../../language/words.ts';

interface AttachedImagesProps {
  images: string[];
  onRemove: (url: string) => void;
}

export function AttachedImages({ images, onRemove }: AttachedImagesProps) {
  return (
    <>
      {images.length > 0 && (
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
                onClick={() => onRemove(url)}
              />
            </Group>
          ))}
        </Group>
      )}
      <p className="svc-hidden" role="status">
        {images.length > 0 &&
          t('{count, plural, one {# image attached} other {# images attached}}', { count: images.length })}
      </p>
    </>
  );
}
