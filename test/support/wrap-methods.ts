// Replaces methods of a class or module, to observe or disturb their calls.

// biome-ignore lint/suspicious/noExplicitAny: the wrapped methods have different arguments and results.
type Any = any

/** `around` gets the original call, its object, its arguments and the method's name. */
export const wrapMethods = (
  owner: object,
  names: readonly string[],
  around: (call: () => Any, self: Any, given: readonly Any[], name: string) => unknown,
): void => {
  const methods = owner as Record<string, (...given: Any[]) => unknown>
  for (const name of names) {
    const original = methods[name]
    if (original === undefined) throw new Error(`there is no ${name} to wrap`)
    methods[name] = function (this: Any, ...given) {
      return around(() => original.apply(this, given), this, given, name)
    }
  }
}
