/** Whether this device may take part with its keys. */
export type KeyCheck =
  /** `record`: has to be published before anything else. `notice`: something the user should know. */
  | { readonly isRight: true; readonly record?: Uint8Array; readonly notice?: string }
  | { readonly isRight: false; readonly message: string }
