import { Link } from '@tanstack/react-router';

export function Brand({ onClick }: { onClick?: () => void }) {
  return (
    <Link to="/" className="svc-brand" onClick={onClick} aria-label="svc, home">
      <img src="/favicon.svg" width={26} height={26} alt="" />
      svc
    </Link>
  );
}
