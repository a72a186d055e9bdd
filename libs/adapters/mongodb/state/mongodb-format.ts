import { type KeyValueStore, PUT_BACK } from '#eventsourcing';

/**
 * Raise it with every change of how keys, vault, kept answers and entries are written. 0, which no database stores: earlier
 * builds, some without keys there. 1: the format is stored, and the keys are an entry. Views have their own layouts.
 */
const FORMAT = 1;
const ENTRY = 'format';

/** @throws Error in words if a newer build wrote the database, or nobody can say which build did */
export async function assertKnownFormat(keyValues: KeyValueStore): Promise<void> {
  formatIn(await keyValues.get(ENTRY));
}

/** Stores the format, after everything has this format. */
export async function nameFormat(keyValues: KeyValueStore): Promise<void> {
  for (;;) {
    const text = await keyValues.get(ENTRY);
    if (text === undefined) await keyValues.insert(ENTRY, String(FORMAT));
    else if (formatIn(text) === FORMAT || (await keyValues.replace(ENTRY, text, String(FORMAT)))) return;
  }
}

function formatIn(text = '0'): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new Error(
      `the database of MONGODB_URL has the format ${JSON.stringify(text)}, which is not a format: ${PUT_BACK}`,
    );
  }
  const format = Number(text);
  if (format <= FORMAT) return format;
  throw new Error(
    `the database of MONGODB_URL has the newer format ${format}, and this build of Holdfast knows only ${FORMAT}: start the build that wrote it`,
  );
}
