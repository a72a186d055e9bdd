import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './targets.js';

const NO_TYPES: ts.ParseConfigHost = {
  ...ts.sys,
  useCaseSensitiveFileNames: true,
  readDirectory: () => [],
};

/** The options of the build. The kind of module stands in them, because a single text has no package.json beside it. */
function buildOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    readonly config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, NO_TYPES, ROOT);
  return {
    ...options,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    incremental: false,
    sourceMap: false,
  };
}

let options: ts.CompilerOptions | undefined;

/**
 * Compiles one source text as the build does, without a check of types.
 * @param file from the root of the tree
 * @throws Error if the text is not TypeScript
 */
export function transpile(file: string, text: string): string {
  options ??= buildOptions();
  const { outputText, diagnostics = [] } = ts.transpileModule(text, {
    fileName: join(ROOT, file),
    compilerOptions: options,
    reportDiagnostics: true,
  });
  const [fault] = diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  if (fault !== undefined) throw new Error(`${file}: ${fault}`);
  return outputText;
}
