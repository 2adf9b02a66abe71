import { useEffect, useRef, useState } from 'react';
import { type FactorMethod, onStepUp } from '../api.ts';
import { lazyComponent } from '../lazy-components.tsx';

const StepUpDialog = lazyComponent('StepUpDialog');

interface Asked {
  methods: FactorMethod[];
  answer: (proven: boolean) => void;
}

/** Asks for the second factor when an action needs a fresh one; the action then continues automatically. */
export function StepUp() {
  // Undefined until the first prompt.
  const [asked, setAsked] = useState<Asked | null>();
  const running = useRef<Promise<boolean>>(null);
  useEffect(() => {
    // If several requests are rejected at once, only one prompt is shown.
    onStepUp((methods) => {
      running.current ??= new Promise<boolean>((answer) => setAsked({ methods, answer })).finally(() => {
        running.current = null;
      });
      return running.current;
    });
    return () => onStepUp(async () => false);
  }, []);
  const answer = (proven: boolean) => {
    asked?.answer(proven);
    setAsked(null);
  };
  return asked !== undefined && <StepUpDialog methods={asked?.methods ?? null} onAnswer={answer} />;
}
