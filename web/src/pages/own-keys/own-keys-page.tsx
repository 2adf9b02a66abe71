import { PageHeader } from '../../components/page-header.tsx';
import { t } from '../../language/words.ts';
import { OwnKeysSection } from './own-keys-section.tsx';

export function OwnKeysPage() {
  return (
    <>
      <PageHeader
        title={t('Own keys')}
        description={t('Use your own keys from providers and pay the providers directly.')}
      />
      <OwnKeysSection owner={{ type: 'user' }} />
    </>
  );
}
