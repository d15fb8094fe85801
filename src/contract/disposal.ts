/**
 * What `using` calls at the end of its block. Present where the app's compiler knows the symbol (`lib` with
 * `ESNext.Disposable`), nothing where it doesn't: an app that is compiled for ES2022 could not read a declaration that
 * names `Symbol.dispose`.
 */
export type Disposal = SymbolConstructor extends { readonly dispose: infer Name extends symbol }
  ? { readonly [name in Name]: () => void }
  : object

/**
 * What `await using` awaits at the end of its block, where the app's compiler knows the symbol: see {@link Disposal}.
 */
export type AsyncDisposal = SymbolConstructor extends { readonly asyncDispose: infer Name extends symbol }
  ? { readonly [name in Name]: () => Promise<void> }
  : object
