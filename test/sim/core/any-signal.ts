/**
 * Stands for `AbortSignal.any`. Node keeps what that returns for as long as somebody listens to it, and a process of a simulated
 * world that is killed listens for ever: so Node would keep the whole world.
 */
export function anySignal(signals: Iterable<AbortSignal>): AbortSignal {
  const all = [...signals];
  const controller = new AbortController();
  const aborted = (): void => {
    const first = all.find((each) => each.aborted);
    if (first === undefined) return;
    for (const each of all) each.removeEventListener('abort', aborted);
    controller.abort(first.reason);
  };
  for (const each of all) each.addEventListener('abort', aborted);
  aborted();
  return controller.signal;
}
