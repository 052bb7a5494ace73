import type * as compile from '../../scripts/generate/compile';

// The compiler says the same about a name in each contract, and would take most of the time of the tests.
jest.mock('../../scripts/generate/compile', () => {
  const { findTypeNameErrors } = jest.requireActual<typeof compile>('../../scripts/generate/compile');
  const answers = new Map<string, string | undefined>();
  return {
    findTypeNameErrors(names: readonly string[]) {
      const unknown = names.filter((name) => !answers.has(name));
      const errors = unknown.length > 0 ? findTypeNameErrors(unknown) : new Map<string, string>();
      for (const name of unknown) answers.set(name, errors.get(name));
      return new Map(
        names.map((name) => [name, answers.get(name)] as const).filter(([, error]) => error !== undefined),
      );
    },
  };
});
