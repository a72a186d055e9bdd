/** The entry's name on disk. */
export const FOLDER_ENTRY = 'folder';

/** The number of starts on the folder, as the key store knows it. */
export interface Starts {
  readonly starts: number;
  /** Whether the manifest has the same number for certain. */
  readonly settled: boolean;
}

export function parseStarts(text: string | undefined): Starts {
  return text === undefined ? { starts: 0, settled: false } : (JSON.parse(text) as Starts);
}
