/**
 * Jest's environment for Node, in two ways faster.
 *
 * Jest puts a proxy behind the global object, so that each use of `Math` or `Object` in a spec, and in all code that it imports, asks
 * the proxy: code that decides or folds many events takes fifty times as long. This one has none.
 *
 * Jest compiles each file anew for each spec that imports it, directly or not: for most specs this takes longer than their tests. Here
 * a process compiles a file once, and later specs get the compiled code.
 */
import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/** Files by their kinds and names, with their text and compiled code. */
const compiled = new Map();

// Some specs measure memory, and need this flag. V8 takes no code that was compiled with other flags.
setFlagsFromString('--expose-gc');

/** What a process has compiled of this text; undefined if nothing. */
function knownOf(key, text) {
  const known = compiled.get(key);
  return known?.text === text ? known.code : undefined;
}

/** Compiles with the known code. V8 may take it no more, for instance after a change of its flags: then compiles anew. */
function compile(key, text, make) {
  const cachedData = knownOf(key, text);
  if (cachedData === undefined) return make({});
  try {
    return make({ cachedData });
  } catch (error) {
    if (error.code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
    compiled.delete(key);
    return make({});
  }
}

const { SourceTextModule, compileFunction } = vm;

// Jest calls it with `new`.
vm.SourceTextModule = function Module(text, options) {
  const key = `module ${options.identifier}`;
  const module = compile(key, text, (known) => new SourceTextModule(text, { ...options, ...known }));
  if (knownOf(key, text) === undefined) compiled.set(key, { text, code: module.createCachedData() });
  return module;
};
// Jest looks there for what this version of Node can do.
vm.SourceTextModule.prototype = SourceTextModule.prototype;

vm.compileFunction = (text, parameters, options) => {
  const key = `function ${parameters.join(',')} ${options?.filename ?? ''}`;
  const made = compileFunction(text, parameters, {
    ...options,
    cachedData: knownOf(key, text),
    produceCachedData: knownOf(key, text) === undefined,
  });
  if (made.cachedDataRejected === true) compiled.delete(key);
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
