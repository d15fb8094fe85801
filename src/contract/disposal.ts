/**
 * The method that `using` calls at the end of its block. Present if the app's compiler knows the symbol (`lib` with
 * `ESNext.Disposable`), otherwise nothing: an app that is compiled for ES2022 could not read a declaration that names
 * `Symbol.dispose`.
 */
export type Disposal = SymbolConstructor extends { readonly dispose: infer Name extends symbol }
  ? { readonly [name in Name]: () => void }
  : object

/**
 * The method that `await using` calls at the end of its block, if the app's compiler knows the symbol: see {@link
 * Disposal}.
 */
export type AsyncDisposal = SymbolConstructor extends { readonly asyncDispose: infer Name extends symbol }
  ? { readonly [name in Name]: () => Promise<void> }
  : object
