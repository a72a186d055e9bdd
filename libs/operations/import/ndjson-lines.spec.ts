import { describe, expect, it } from '@jest/globals';
import { ndjsonLines, type NdjsonLine } from './ndjson-lines.js';

async function linesOf(...chunks: readonly (string | Buffer)[]): Promise<NdjsonLine[]> {
  const lines: NdjsonLine[] = [];
  async function* body(): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  let bytes = 0;
  for await (const line of ndjsonLines(body(), (count) => (bytes += count))) lines.push(line);
  expect(bytes).toBe(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))).length);
  return lines;
}

describe('G4: the lines of a body', () => {
  it('do not depend on where the pieces of the body end', async () => {
    const text = '{"ä":1}\r\n\n  \n{"b":2}\n{"c":"ü"}';
    const expected = [
      { number: 1, text: '{"ä":1}' },
      { number: 4, text: '{"b":2}' },
      { number: 5, text: '{"c":"ü"}' },
    ];
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size += 1) {
      const pieces: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
      expect(await linesOf(...pieces)).toEqual(expected);
    }
    expect(await linesOf(`${text}\n`)).toEqual(expected);
    expect(await linesOf()).toEqual([]);
  });

  it('that are too long are reported, and the next line is read', async () => {
    const long = 'x'.repeat(1024 * 1024);
    expect(await linesOf(long, '\n', '{}\n')).toEqual([
      { number: 1, text: long },
      { number: 2, text: '{}' },
    ]);
    expect(await linesOf('a\n', long, 'y', '\n', '{}')).toEqual([
      { number: 1, text: 'a' },
      { number: 2, fault: 'is longer than 1 MiB' },
      { number: 3, text: '{}' },
    ]);
  });

  it('that are not UTF-8 are reported, wherever the pieces of the body end', async () => {
    const bytes = Buffer.from('{"a":"Jos\u00e9"}\n{"b":"Jos\xe9"}\n{"c":1}\n\xff', 'latin1');
    const first = Buffer.from('{"a":"Jos\u00e9"}\n');
    const rest = bytes.subarray(bytes.indexOf('\n') + 1);
    const fault = 'is not UTF-8';
    const expected = [
      { number: 1, text: '{"a":"Jos\u00e9"}' },
      { number: 2, fault },
      { number: 3, text: '{"c":1}' },
      { number: 4, fault },
    ];
    expect(await linesOf(first, rest)).toEqual(expected);
    expect(await linesOf(first.subarray(0, 10), first.subarray(10), rest.subarray(0, 5), rest.subarray(5))).toEqual(
      expected,
    );
  });
});
