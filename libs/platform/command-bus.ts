import type { CommandBus, ICommand } from '@nestjs/cqrs';
import { traced, type CommandContext, type Tracer } from '#eventsourcing';
import { DomainError } from '#kernel';

type Execute = (command: ICommand) => Promise<unknown>;

/** Stops a start if a command has two handlers; Nest's command bus would only warn. */
export function oneHandlerEach(bus: CommandBus): void {
  const seen = new Set<string>();
  const bind = bus.bind.bind(bus);
  bus.bind = (handler, id): void => {
    if (seen.has(id)) throw new Error(`the command of ${handler.metatype?.name ?? 'a handler'} has two handlers`);
    seen.add(id);
    bind(handler, id);
  };
}

/**
 * Lets a command that runs again under its id (ruling A11) look twice for what its first try did. The first try may have ended
 * without an answer of the log, and its append may arrive after the first look: then the command is refused because of its own
 * events. A refusal is decided at the end of the stream, so the second look finds them.
 */
export function lookTwiceIfResumed(bus: CommandBus): void {
  const execute: Execute = bus.execute.bind(bus);
  bus.execute = async (command: ICommand & { readonly context?: CommandContext }) => {
    try {
      return await execute(command);
    } catch (error) {
      if (!(error instanceof DomainError) || command.context?.resumed !== true) throw error;
      return execute(command);
    }
  };
}

/** Shows each command in a trace: its name, and the code of its refusal; nothing that is in it. */
export function traceCommands(bus: CommandBus, tracer: Tracer): void {
  const execute: Execute = bus.execute.bind(bus);
  bus.execute = (command: ICommand) => traced(tracer, command.constructor.name, {}, () => execute(command));
}
