// The types of the module of the package htm that contains Preact. The package has none without Preact's package.

export function html(strings: TemplateStringsArray, ...values: unknown[]): object;
export function render(tree: object, parent: Element): void;
export function useState<T>(initial: T): [value: T, set: (value: T) => void];
export function useMemo<T>(make: () => T, inputs: readonly unknown[]): T;
export function useRef<T>(initial: T): { current: T };
export function useLayoutEffect(effect: () => unknown, inputs: readonly unknown[]): void;
