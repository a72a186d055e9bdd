/** The exit codes of commands (ruling G8). */
export const ExitCode = {
  done: 0,
  /** The service refused, or the view or generation does not exist. */
  refused: 1,
  /** The command is wrong, or has no valid credential. */
  usage: 2,
  /** No service answers, or it is not ready. */
  unreachable: 3,
  /** Ctrl-C. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Why a command failed. The message says what to do next. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';
  constructor(
    message: string,
    readonly exitCode: ExitCode,
  ) {
    super(message);
  }
}
