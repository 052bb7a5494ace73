// The types of the module of the package htm that contains Preact. The package has none without Preact's package.

type Child = object | string | number | boolean | null | undefined;
interface Ref<T> {
  current: T;
}

export function html(strings: TemplateStringsArray, ...values: unknown[]): object;
export function render(tree: Child | Child[], parent: Element): void;
export function useState<T>(initial: T): [value: T, set: (value: T) => void];
export function useRef<T>(initial: T): Ref<T>;
export function useEffect(effect: () => unknown, inputs: readonly unknown[]): void;
export function useLayoutEffect(effect: () => unknown, inputs: readonly unknown[]): void;
export function useMemo<T>(make: () => T, inputs: readonly unknown[]): T;
