import { PageHeader } from '../../components/page-header.tsx';
import { t } from '../../language/words.ts';
import { OwnKeysSection } from './own-keys-section.tsx';

export function OwnKeysPage() {
  return (
    <>
      <PageHeader
        title={t('Own keys')}
        description={t('Bring the keys that you have at providers, and pay them yourself.')}
      />
      <OwnKeysSection owner={{ type: 'user' }} />
    </>
  );
}
