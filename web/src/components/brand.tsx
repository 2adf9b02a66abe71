import { useLinkProps } from '@tanstack/react-router';

export function Brand({ onClick }: { onClick?: () => void }) {
  // The Home entry says which page is open; saying it here too would be noise.
  const { 'aria-current': _, ...link } = useLinkProps({ to: '/', onClick });
  return (
    <a {...link} className="svc-brand">
      <img src="/favicon.svg" width={26} height={26} alt="" />
      <span>
        svc<span className="svc-hidden">, home</span>
      </span>
    </a>
  );
}
