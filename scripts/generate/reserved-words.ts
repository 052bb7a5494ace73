/** What TypeScript takes for no name of a type in a module. */
export const reservedWords: ReadonlySet<string> = new Set(
  [
    'break case catch class const continue debugger default delete do else enum export extends false finally for function if',
    'import in instanceof new null return super switch this throw true try typeof var void while with',
    // In strict mode, which modules always have.
    'await implements interface let package private protected public static yield',
    // Types of TypeScript, and words that begin one.
    'any bigint boolean never number object string symbol undefined unknown infer keyof readonly unique',
  ].flatMap((words) => words.split(' ')),
);
