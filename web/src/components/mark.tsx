/** The image of favicon.svg, inlined to save a request. */
export function Mark({ size, label }: { size: number; label?: string }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 32 32"
      role={label ? 'img' : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      <rect width="32" height="32" rx="8" fill="#4f46e5" />
      <path
        d="M8 12h7c5 0 4 8 9 8M8 20h7c5 0 4-8 9-8"
        fill="none"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
    </svg>
  );
}
