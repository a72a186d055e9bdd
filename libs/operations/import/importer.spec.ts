import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import { Importer } from './importer.js';
import { engineOf } from '../../../test/support/engine-of.js';

/** An importer for lines that are refused when they are read: it needs no commands, and only the engine's time. */
const ENGINE = engineOf({ time: thisMachine.time });
const importer = (): Importer => new Importer(ENGINE, undefined as never, { actor: 'operator:test', correlation: 'c' });

async function* bodyOf(...pieces: readonly string[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

describe('G4: an import reports only on a whole file', () => {
  it('and fails if the body is shorter or longer than its Content-Length', async () => {
    const lines = ['[]\n', 'x\r\n\n', '[]'];
    const length = Buffer.byteLength(lines.join(''));
    const whole = importer();
    await whole.run(bodyOf(...lines), length);
    expect(whole.counts).toMatchObject({ lines: 3, refused: 3 });
    await expect(importer().run(bodyOf('[]\n', '[]'), length)).rejects.toThrow(
      `5 of the body's ${length} bytes were read`,
    );
    await expect(importer().run(bodyOf(...lines, '\n'), length)).rejects.toThrow('bytes were read');
    await importer().run(bodyOf(...lines), undefined);
  });
});
