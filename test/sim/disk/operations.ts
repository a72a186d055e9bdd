/** A file by its number: a name may come to mean another file, and a file may change its name. */
export type File = number;

/** What a name in a folder means: a file, another folder, or nothing. */
export type Meaning = File | 'folder' | undefined;

/** The order in which the tracer saw a call begin and return. */
interface Moment {
  readonly began: number;
  readonly returned: number;
}

/** One thing that a process did to its folder, or told somebody outside. */
export type Operation = Moment &
  (
    | { readonly kind: 'write'; readonly file: File; readonly at: number; readonly data: Buffer }
    /** Cuts a file off, or lets it grow by zeros. */
    | { readonly kind: 'resize'; readonly file: File; readonly size: number }
    /** Names of one folder change their meaning, all at once. */
    | {
        readonly kind: 'names';
        readonly folder: string;
        readonly changes: readonly (readonly [name: string, meaning: Meaning])[];
      }
    /** `file` undefined: the folder itself, so its names. */
    | { readonly kind: 'sync'; readonly folder: string; readonly file: File | undefined; readonly path: string }
    /** An answer of success began to leave. */
    | { readonly kind: 'told'; readonly request: string; readonly position: bigint }
  );

/** Everything that processes did to a folder, one after another, in the order in which the operations began. */
export interface Recording {
  /** The folder's path. */
  readonly root: string;
  readonly operations: readonly Operation[];
  /** The first place of each process. */
  readonly starts: readonly number[];
  /** The place after the last operation. */
  readonly end: number;
}
