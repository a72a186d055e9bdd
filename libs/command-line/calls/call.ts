import type { Session } from '../session.js';

/** What an operator writes as one value of an argument or option, as the service gets it. */
export type Given = string | number | boolean | null | readonly (string | number | boolean | null)[];

/** An argument or option: what it means, and how its text is read. */
export interface Value {
  readonly words: string;
  /** Its name in the usage; the route's by default. */
  readonly as?: string;
  /** Reads the text. Without it, the option is a switch that takes no value. @throws InvalidArgumentError */
  readonly parse?: (text: string) => string | number | boolean;
  /** The values that it takes; any other value is refused. */
  readonly choices?: readonly string[];
  /** It may be given several times, or with commas between its values. */
  readonly many?: true;
  readonly required?: true;
  /** The text that means null: it removes the value. */
  readonly none?: string;
}

/** A column of a table. A name alone is an attribute; `state.stock.held` is one in a part. */
export type Column = string | WideColumn;

/** A column with a width or a cell of its own. */
export interface WideColumn {
  readonly name: string;
  /** Characters that it has in a table that grows; 24 by default. */
  readonly width?: number;
  /** Makes the cell from the row; by default it is the attribute of this name. */
  cell?(row: object): string | number | null;
}

/** What people see of an answer: a title, a table with a line for each field, a table of rows, and what to do next. */
export interface Seen {
  readonly title?: string;
  readonly fields?: object;
  readonly columns?: readonly Column[];
  readonly rows?: readonly object[];
  readonly next?: string;
  /** Whether nothing was found: then the command ends like one of something that does not exist. */
  readonly nothing?: true;
}

/** What all commands have. */
interface Described {
  readonly noun: string;
  /** Empty if the noun is the whole command, as in `find 486503955122`. */
  readonly verb: string;
  /** Method and path of the call, such as `GET /operators/deals/:slug`. The parameters in its path are arguments. */
  readonly route: string;
  /** What is written without a name, in order: the parameters in the path, and others that each command has. */
  readonly arguments?: Readonly<Record<string, Value>>;
  /** Its other parameters by their names; a text alone means a line of text. */
  readonly options?: Readonly<Record<string, Value | string>>;
}

/** What commands have whose words nobody can guess. */
interface Explained extends Described {
  readonly words: string;
  /** A command line, without the program. */
  readonly example: string;
}

/** A call with one answer. */
export interface OneCall extends Explained {
  readonly kind: 'one';
  /** What the command sends besides what the operator gives. */
  readonly fixed?: Readonly<Record<string, Given>>;
  /** What the body is, if it is a large object: it comes from a file, and no option adds to it. */
  readonly body?: string;
  /** What people see; by default all fields. */
  show?(answer: object): Seen;
}

/** A call that answers with numbered pages of a list. */
export interface PageCall extends Explained {
  readonly kind: 'page';
  /** The name of the list in the answer. */
  readonly key: string;
  readonly columns: readonly Column[];
  /** The rows of the table; by default the items of the list. */
  rows?(items: readonly object[]): readonly object[];
}

/** A call that answers with a part of a list, `next` and `examined`, and with the whole list in lines (`format=ndjson`). */
export interface ListCall extends Described {
  readonly kind: 'list';
  /** The name of the list in the answer. */
  readonly key: string;
  readonly columns: readonly Column[];
  readonly words?: string;
  readonly example?: string;
}

/** A command that does more than one call, or reads or writes a stream. */
export interface OwnCall extends Explained {
  readonly kind: 'own';
  run(session: Session, values: Values): Promise<void>;
}

/** The arguments and options of a command by the names of the route; those that are not given are absent. */
export type Values = Readonly<Record<string, Given>>;

/** A command of the table. */
export type Call = OneCall | PageCall | ListCall | OwnCall;

/** What a command does, in one line. */
export const wordsOf = (call: Call): string => call.words ?? `lists ${call.noun}`;

/** A command line, without the program. */
export const exampleOf = (call: Call): string => call.example ?? `${call.noun} ${call.verb} --limit 20`;

/** The names of a command's arguments, in order. */
export const argumentsOf = ({
  route,
  arguments: others = {},
}: Pick<Call, 'route' | 'arguments'>): readonly string[] => [...new Set([...inPath(route), ...Object.keys(others)])];

/** The words that name a command: noun and verb. */
export const nameOf = ({ noun, verb }: Pick<Call, 'noun' | 'verb'>): string => (verb === '' ? noun : `${noun} ${verb}`);

/** The names of the parameters in a route's path. */
export const inPath = (route: string): readonly string[] => [...route.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
