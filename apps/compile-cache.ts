import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Keeps compiled code beside the build, so that the next start need not compile it. Where it cannot be written, nothing is kept.
enableCompileCache(fileURLToPath(new URL('../.compile-cache', import.meta.url)));
