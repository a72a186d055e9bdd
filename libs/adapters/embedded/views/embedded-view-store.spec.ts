import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedViewReaders, EmbeddedViewStore } from '#adapters/embedded';
import { viewStoreContract, type ViewStoreSubject } from '../../../../test/contracts/view-store.contract.js';

function openIn(folder: string): ViewStoreSubject {
  const store = EmbeddedViewStore.open(folder);
  const readers = EmbeddedViewReaders.open(folder);
  const close = async (): Promise<void> => {
    await readers.close();
    await store.close();
  };
  return {
    store,
    readers,
    async reopen() {
      await close();
      return openIn(folder);
    },
    async close() {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}

viewStoreContract('embedded', async () => openIn(mkdtempSync(join(tmpdir(), 'holdfast-views-'))));
