/** Words that cannot name a type in a TypeScript module. */
export const reservedWords: ReadonlySet<string> = new Set(
  [
    'break case catch class const continue debugger default delete do else enum export extends false finally for function if',
    'import in instanceof new null return super switch this throw true try typeof var void while with',
    // Words of strict mode, in which modules always run.
    'await implements interface let package private protected public static yield',
    // TypeScript's own types, and words that begin a type.
    'any bigint boolean never number object string symbol undefined unknown infer keyof readonly unique',
  ].flatMap((words) => words.split(' ')),
);
