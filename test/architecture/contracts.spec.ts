import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

/** The contract suite of each port that adapters implement; null for a port with one adapter, which has specs of its own. */
const CONTRACTS: Readonly<Record<string, string | null>> = {
  EventLogReader: 'eventLogContract',
  OwnedLog: 'eventLogContract',
  ViewStore: 'viewStoreContract',
  ViewReaders: 'viewStoreContract',
  ViewReader: 'viewStoreContract',
  ViewWriter: 'viewStoreContract',
  GenerationRows: 'viewStoreContract',
  KeyStore: 'keyStoreContract',
  Vault: 'vaultContract',
  KeyValueStore: 'keyValueStoreContract',
  SnapshotStore: 'snapshotStoreContract',
  IdempotencyRecords: 'idempotencyRecordsContract',
  SealedRows: 'sealedRowsContract',
  WorkTimers: 'workTimersContract',
  PaymentGateway: 'paymentGatewayContract',
  LedgerElsewhere: 'paymentGatewayContract',
  LedgerHere: 'paymentGatewayContract',
  Mailer: 'mailerContract',
  IpLocations: null,
  LeaseRegister: null,
  Leases: null,
  LogConnection: null,
  Projections: null,
  Tracer: null,
};

/** Adapters without a class of a port, with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  machine: 'Time and Randomness of this machine are objects',
  mime: 'the bytes of mails, for the adapters of Mailer',
};

/** Classes that only look like adapters of a port, with the reason. */
const ALIKE: Readonly<Record<string, string>> = {
  'KeyValueTable: KeyValueStore': 'its part in the thread of the adapter',
};

/** What an adapter hands out as part of a port: no port of its own, so an adapter may have several. */
const HANDED_OUT = new Set(['Span']);

interface Source {
  /** The folder in libs/adapters. */
  readonly adapter: string;
  readonly tree: ts.SourceFile;
}

function read(pattern: string): ts.SourceFile[] {
  return globSync(pattern).map((file) =>
    ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true),
  );
}

/** All nodes of a file of one kind. */
function nodesOf<Node extends ts.Node>(tree: ts.SourceFile, is: (node: ts.Node) => node is Node): Node[] {
  const found: Node[] = [];
  const visit = (node: ts.Node): void => {
    if (is(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

const isClass = (node: ts.Node): node is ts.ClassLikeDeclaration => ts.isClassLike(node);
const isAbstract = (node: ts.Node): node is ts.ClassDeclaration =>
  ts.isClassDeclaration(node) && (node.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword);

/** The interfaces in folders of ports, and the abstract classes of the product, by name. */
const PORTS = new Map(
  [
    ...read('libs/*/ports/*.ts').flatMap((tree) => nodesOf(tree, ts.isInterfaceDeclaration)),
    ...read('libs/**/*.ts').flatMap((tree) => nodesOf(tree, isAbstract)),
  ].map((port) => [port.name?.text ?? '', port]),
);
const SOURCES = read('libs/adapters/*/**/*.ts').map((tree): Source => ({
  adapter: tree.fileName.split('/')[2] ?? '',
  tree,
}));

const CLASSES = SOURCES.filter(({ tree }) => !tree.fileName.endsWith('.spec.ts')).flatMap(({ adapter, tree }) =>
  nodesOf(tree, isClass).map((found) => ({ adapter, found })),
);

/** What a class or an interface names after `extends` and `implements`. */
const namedBy = ({ heritageClauses }: Pick<ts.ClassLikeDeclaration, 'heritageClauses'>): string[] =>
  (heritageClauses ?? []).flatMap(({ types }) => types.map(({ expression }) => expression.getText()));

/** The port of each class in the adapters, and the adapter that has it. */
const IMPLEMENTED = CLASSES.flatMap(({ adapter, found }) =>
  namedBy(found)
    .filter((port) => PORTS.has(port) && !HANDED_OUT.has(port))
    .map((port) => ({ adapter, port })),
);

type Declared = ts.ClassLikeDeclaration | ts.InterfaceDeclaration;

/** The names of all public members, inherited ones included as far as ports declare them. */
function membersOf(declared: Declared): Set<string> {
  const own = (declared.members as ts.NodeArray<ts.ClassElement | ts.TypeElement>).flatMap(({ name }) =>
    name === undefined || ts.isPrivateIdentifier(name) ? [] : [name.getText()],
  );
  const above = namedBy(declared).flatMap((name) => [...(PORTS.has(name) ? membersOf(port(name)) : [])]);
  return new Set([...own, ...above]);
}

function port(name: string): Declared {
  const found = PORTS.get(name);
  if (found === undefined) throw new Error(`${name} is not a port`);
  return found;
}

/** The ports that a class has, by what it names: a port's own ports, too. */
function portsOf(declared: Declared): string[] {
  return namedBy(declared).flatMap((name) => (PORTS.has(name) ? [name, ...portsOf(port(name))] : []));
}

/** How often the specs of an adapter call a suite. */
function callsOf(adapter: string, suite: string): number {
  return SOURCES.filter((source) => source.adapter === adapter && source.tree.fileName.endsWith('.spec.ts'))
    .flatMap(({ tree }) => nodesOf(tree, ts.isCallExpression))
    .filter(({ expression }) => expression.getText() === suite).length;
}

describe('the adapters of a port', () => {
  it('are known, with the suite of their port', () => {
    expect([...new Set(IMPLEMENTED.map(({ port }) => port))].toSorted()).toEqual(Object.keys(CONTRACTS).toSorted());
    const adapters = [...new Set(SOURCES.map(({ adapter }) => adapter))];
    const withPort = new Set(IMPLEMENTED.map(({ adapter }) => adapter));
    expect(adapters.filter((adapter) => !withPort.has(adapter)).toSorted()).toEqual(Object.keys(OTHERS).toSorted());
  });

  it('are declared: a class with all members of a port says that it implements the port', () => {
    const withContract = Object.keys(CONTRACTS).filter((name) => CONTRACTS[name] !== null);
    const silent = CLASSES.flatMap(({ found }) => {
      const members = membersOf(found);
      const named = portsOf(found);
      return withContract
        .filter((name) => !named.includes(name) && [...membersOf(port(name))].every((member) => members.has(member)))
        .map((name) => `${found.name?.text ?? 'a class'}: ${name}`);
    });
    expect(silent).toEqual(Object.keys(ALIKE));
  });

  it('run its contract, once for each of their classes', () => {
    const lacking = IMPLEMENTED.filter(({ adapter, port }) => {
      const suite = CONTRACTS[port] ?? null;
      if (suite === null) return false;
      const classes = IMPLEMENTED.filter((each) => each.adapter === adapter && each.port === port).length;
      return callsOf(adapter, suite) < classes;
    });
    expect(
      lacking.map(({ adapter, port }) => `${adapter} needs a spec that calls ${CONTRACTS[port]} for its ${port}`),
    ).toEqual([]);
  });

  it('is a single one if the port has no contract', () => {
    const several = Object.keys(CONTRACTS).filter(
      (port) => CONTRACTS[port] === null && IMPLEMENTED.filter((each) => each.port === port).length > 1,
    );
    expect(several).toEqual([]);
  });
});
