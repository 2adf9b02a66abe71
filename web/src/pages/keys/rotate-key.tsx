import { RotateSecret } from '../../components/rotate-secret.tsx';
import { t } from '../../language/words.ts';
import type { ApiKey } from './key-fields.ts';

interface RotateKeyProps {
  apiKey: ApiKey;
  onClose: () => void;
  onSubmit: (overlapSeconds: number) => Promise<unknown>;
}

export function RotateKey({ apiKey: { name, previous }, ...rest }: RotateKeyProps) {
  return (
    <RotateSecret title={t('New secret for {name}', { name })} previous={previous} {...rest}>
      {t(
        'The key gets a new secret, which is shown once. Its limits, quota and usage stay the same, whichever secret is used.',
      )}
    </RotateSecret>
  );
}
