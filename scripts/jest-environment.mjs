/**
 * Jest's environment for Node, with a faster global object. Jest puts a proxy behind it, so that each use of `Math` or `Object` in a
 * spec, and in all code that it imports, asks the proxy: code that decides or folds many events takes fifty times as long.
 */
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

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
