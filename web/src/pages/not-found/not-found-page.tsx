import { NotFound } from '../../components/page-states.tsx';

export function NotFoundPage() {
  return (
    <main>
      <NotFound />
    </main>
  );
}
