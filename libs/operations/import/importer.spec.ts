import { describe, expect, it } from '@jest/globals';
import { thisMachine } from '#adapters/machine';
import type { Engine } from '#eventsourcing';
import { Importer } from './importer.js';

/** Lines that are refused as they are read need no commands, and of the engine the time alone. */
const ENGINE = { time: thisMachine.time } as Partial<Engine> as Engine;
const importer = (): Importer => new Importer(ENGINE, undefined as never, { actor: 'operator:test', correlation: 'c' });

async function* bodyOf(...pieces: readonly string[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}

describe('G4: an import says nothing of a file that it has not read whole', () => {
  it('and fails where a piece of the body is missing, or there is more than its head said', async () => {
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
