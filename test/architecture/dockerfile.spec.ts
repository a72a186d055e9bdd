import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { instructionsIn } from '../support/dockerfile.js';

describe('G11.4: the Dockerfile, which is carried out line by line every night', () => {
  const instructions = instructionsIn(readFileSync('Dockerfile', 'utf8'));
  const of = (name: string): readonly string[] =>
    instructions.flatMap((instruction) => (instruction.name === name ? [instruction.rest] : []));

  it('runs as a user without rights, and keeps data and the file of erasures on volumes', () => {
    expect(of('USER')).toEqual(['node']);
    expect(of('VOLUME')).toEqual(['/data /erasures']);
    expect(of('ENV').join(' ')).toContain('DATA_DIR=/data ERASURES_FILE=/erasures/');
    expect(of('CMD').at(-1)).toContain('dist/apps/api/main.js');
  });
});
