/**
 * Jest's environment for Node, in two ways faster.
 *
 * Jest puts a proxy behind the global object, so that each use of `Math` or `Object` in a spec, and in all code that it imports, asks
 * the proxy: code that decides or folds many events takes fifty times as long. This one has none.
 *
 * Jest compiles each file anew for each spec that imports it, directly or not: for most specs this takes longer than their tests. Here
 * a process compiles a file once, and later specs get the compiled code.
 */
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/** Files by their names, with their text and compiled code. */
const compiled = new Map();

/**
 * The options to compile a file with.
 * @param key its kind and name
 */
function withCompiled(key, text, options) {
  const known = compiled.get(key);
  return known?.text === text ? { ...options, cachedData: known.code } : options;
}

const { SourceTextModule, compileFunction } = vm;

vm.SourceTextModule = class extends SourceTextModule {
  constructor(text, options) {
    const key = `module ${options.identifier}`;
    super(text, withCompiled(key, text, options));
    if (compiled.get(key)?.text !== text) compiled.set(key, { text, code: this.createCachedData() });
  }
};

vm.compileFunction = (text, parameters, options) => {
  const key = `function ${parameters} ${options?.filename}`;
  const made = compileFunction(text, parameters, {
    ...withCompiled(key, text, options),
    produceCachedData: compiled.get(key)?.text !== text,
  });
  if (made.cachedData !== undefined) compiled.set(key, { text, code: made.cachedData });
  return made;
};

export default class NodeEnvironment extends TestEnvironment {
  constructor(config, context) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
  }
}
