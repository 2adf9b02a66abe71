import { useLinkProps } from '@tanstack/react-router';
import { rich } from '../language/words.ts';
import { Mark } from './mark.tsx';

export function Brand({ onClick }: { onClick?: () => void }) {
  // The Home entry already has `aria-current`; repeating it here would be noise.
  const { 'aria-current': _, ...link } = useLinkProps({ to: '/', onClick });
  return (
    <a {...link} className="svc-brand">
      <Mark size={26} />
      <span>
        {rich('svc<hidden>, home</hidden>', { hidden: (text) => <span className="svc-hidden">{text}</span> })}
      </span>
    </a>
  );
}
