import { useEffect, useRef, useState } from 'react';
import { type FactorMethod, onStepUp } from '../api.ts';
import { later } from '../later.tsx';

const StepUpDialog = later('StepUpDialog');

interface Asked {
  methods: FactorMethod[];
  answer: (proven: boolean) => void;
}

/** Asks for the second factor when an act needs it fresh; the act then goes on by itself. */
export function StepUp() {
  // Undefined until somebody is asked for the first time.
  const [asked, setAsked] = useState<Asked | null>();
  const running = useRef<Promise<boolean>>(null);
  useEffect(() => {
    // Of several requests that are refused at once, one asks.
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
