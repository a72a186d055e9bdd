import type { CommandLoop } from '#eventsourcing';

/**
 * A command loop whose caller is held up after each command of one type: `meanwhile` is called when the command is written, before
 * its caller goes on.
 */
export function heldUpAfter(loop: CommandLoop, type: string, meanwhile: () => void): CommandLoop {
  const execute: CommandLoop['execute'] = async (decider, id, command, context) => {
    const written = await loop.execute(decider, id, command, context);
    if ((command as { readonly type: string }).type === type) meanwhile();
    return written;
  };
  return new Proxy(loop, {
    get(_, name) {
      if (name === 'execute') return execute;
      const value: unknown = Reflect.get(loop, name, loop);
      return typeof value === 'function' ? (value.bind(loop) as unknown) : value;
    },
  });
}
