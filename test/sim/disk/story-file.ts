import { readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { Story } from './record.js';

/** Keeps a recording: no two are the same, so a seed means something only together with its own. */
export function saveStory(file: string, story: Story): void {
  writeFileSync(file, serialize(story));
}

/** @param file written by `saveStory` */
export function loadStory(file: string): Story {
  return deserialize(readFileSync(file)) as Story;
}
