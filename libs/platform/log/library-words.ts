import { format } from 'node:util';

/** Passes on what Node and libraries would print from a thread by themselves, and not as lines of the log. */
export function passOnWords(tell: (text: string) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') tell(`${name}: ${message}`);
  });
  const say = (...parts: unknown[]): void => tell(format(...parts));
  Object.assign(console, { warn: say, error: say });
}
