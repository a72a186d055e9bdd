/** What a command ends with (ruling G8). */
export const ExitCode = {
  done: 0,
  /** The service said no, or what was asked for is not there. */
  refused: 1,
  /** The command is written wrongly, or has no credential. */
  usage: 2,
  /** No service answers, or it is not ready. */
  unreachable: 3,
  /** Ctrl-C. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Why a command cannot do what it was asked for, in words that say what to do next. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';
  constructor(
    message: string,
    readonly exitCode: ExitCode,
  ) {
    super(message);
  }
}
