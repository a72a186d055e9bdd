import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thisMachine } from '#adapters/machine';
import { EmbeddedViewReaders, EmbeddedViewStore } from '#adapters/embedded';
import { viewStoreContract, type ViewStoreSubject } from '../../../../test/contracts/view-store.contract.js';

/** @param atOnce see `EmbeddedViewReaders.open` */
function openIn(folder: string, atOnce?: number): ViewStoreSubject {
  const store = EmbeddedViewStore.open(folder);
  const readers = EmbeddedViewReaders.open(folder, thisMachine, atOnce);
  const close = async (): Promise<void> => {
    await readers.close();
    await store.close();
  };
  return {
    store,
    readers,
    async reopen() {
      await close();
      return openIn(folder, atOnce);
    },
    async close() {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'holdfast-views-'));
viewStoreContract('embedded', async () => openIn(newFolder()));
viewStoreContract('embedded, each read with a limit in the thread of lists', async () => openIn(newFolder(), 0));
