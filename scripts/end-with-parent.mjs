// Loaded before a program that another of these scripts runs: it ends with that script, however that ends.
import process from 'node:process';
import { endWith } from './end-with.mjs';

endWith([process.ppid]);
