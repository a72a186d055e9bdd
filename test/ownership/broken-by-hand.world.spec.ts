import { expect, it } from '@jest/globals';
import { BREAKS, MORE_BREAKS } from '../support/broken-log.js';
import { HAS_PYTHON } from '../support/certificate-tool.js';
import { copyOf } from '../support/data-folder.js';
import { FOUND, IN_CI } from './broken-by-hand.table.js';
import { seenIn, testBreaks } from './broken-by-hand.tests.js';

const all = [...BREAKS, ...MORE_BREAKS];

testBreaks(
  all.filter(({ name }) => IN_CI.has(name)),
  (dataDir) => {
    it('G7.4 G7.10: the table says of each way what finds it', () => {
      expect(Object.keys(FOUND)).toEqual(all.map(({ name }) => name));
    });

    it('G7.4 G7.10: in a sound log, nothing finds anything', async () => {
      const { certificate, tool, ...seen } = await seenIn(copyOf(dataDir()));
      expect(seen).toEqual({ start: [], selfAudit: [], verify: [], fault: undefined });
      expect(certificate.slice(-15)).toBe('verdict: sound\n');
      if (HAS_PYTHON) expect(tool).toEqual({ code: 0, out: certificate, err: '' });
    });
  },
);
