// Loaded before a program that another script runs: the program ends when that script ends, for any reason.
import process from 'node:process';
import { endWith } from './end-with.mjs';

endWith([process.ppid]);
