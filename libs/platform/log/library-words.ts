import { format } from 'node:util';

/** The most texts that are remembered. */
const MOST = 100;

/** Receives what Node and libraries would print by themselves, and not as lines of the log. */
export interface LibraryWords {
  /** A warning of Node, but for the next. */
  readonly warning: (name: string, message: string) => void;
  /** That a part of Node is experimental; absent: nobody wants to know. */
  readonly experimental?: (message: string) => void;
  /** What a library printed; the same text once. */
  readonly printed: (words: string) => void;
}

/** Passes on what Node and libraries would print from this thread. Libraries print the same text again and again. */
export function takeLibraryWords({ warning, experimental, printed }: LibraryWords): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name === 'ExperimentalWarning') experimental?.(message);
    else warning(name, message);
  });
  const known = new Set<string>();
  const tell = (...parts: unknown[]): void => {
    const words = format(...parts);
    if (known.has(words)) return;
    if (known.size === MOST) known.clear();
    known.add(words);
    printed(words);
  };
  Object.assign(console, { warn: tell, error: tell });
}
