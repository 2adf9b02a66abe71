import { PageHeader } from '../../components/page-header.tsx';
import { OwnKeysSection } from './own-keys-section.tsx';

export function OwnKeysPage() {
  return (
    <>
      <PageHeader title="Own keys" description="Bring the keys that you have at providers, and pay them yourself." />
      <OwnKeysSection owner={{ type: 'user' }} />
    </>
  );
}
