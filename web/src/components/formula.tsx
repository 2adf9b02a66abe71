import { useLayoutEffect, useRef } from 'react';
import temml from 'temml';
import styles from './formula.css' with { type: 'text' };

export interface FormulaProps {
  tex: string;
  display: boolean;
  open: boolean;
  /** The original text, shown while the formula is incomplete or if it cannot be parsed. */
  source: string;
}

/** The library builds MathML element by element: the source never becomes HTML, and cannot contain links. */
function Written({ tex, display, source }: Omit<FormulaProps, 'open'>) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const element = place.current!;
    try {
      temml.render(tex, element, { displayMode: display, annotate: true, throwOnError: true });
    } catch {
      const code = document.createElement('code');
      code.textContent = source;
      element.replaceChildren(code);
    }
  }, [tex, display, source]);
  return <span ref={place} />;
}

export function Formula({ open, ...formula }: FormulaProps) {
  return (
    <>
      <style href="svc-formula" precedence="default">
        {styles}
      </style>
      {/* Scrollable regions must be reachable by keyboard (WCAG 2.1.1). */}
      <span className="svc-formula" {...(formula.display && { 'data-display': true, tabIndex: 0 })}>
        {open ? <code>{formula.source}</code> : <Written {...formula} />}
      </span>
    </>
  );
}
